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

impl<T> Slab<T> {
    pub(crate) fn put(&mut self, value: T) -> u32 {
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = value;
                slot
            }
            None => {
                self.slots.push(value);
                (self.slots.len() - 1) as u32
            }
        }
    }

    pub(crate) fn get(&self, slot: u32) -> &T {
        &self.slots[slot as usize]
    }

    pub(crate) fn get_mut(&mut self, slot: u32) -> &mut T {
        &mut self.slots[slot as usize]
    }

    pub(crate) fn release(&mut self, slot: u32) {
        self.free.push(slot);
    }
}
