//! Slots that are taken and given back.

/// Values in slots; the slot given back last is taken first, because it is in cache.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    slots: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new() }
    }
}

impl<T: Default> Slab<T> {
    /// Takes a slot, whatever is in it.
    #[inline]
    pub(crate) fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| self.grow(T::default()))
    }
}

impl<T> Slab<T> {
    #[inline]
    pub(crate) fn put(&mut self, value: T) -> u32 {
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = value;
                slot
            }
            None => self.grow(value),
        }
    }

    #[cold]
    fn grow(&mut self, value: T) -> u32 {
        self.slots.push(value);
        (self.slots.len() - 1) as u32
    }

    #[inline]
    pub(crate) fn get(&self, slot: u32) -> &T {
        &self.slots[slot as usize]
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, slot: u32) -> &mut T {
        &mut self.slots[slot as usize]
    }

    #[inline]
    pub(crate) fn release(&mut self, slot: u32) {
        self.free.push(slot);
    }
}
