//! [`Sink`]: where records and readings go while the run goes on.
//!
//! A run hands over each item once and forgets it; what a sink keeps is the sink's affair. So the memory of a
//! run does not grow with simulated time unless somebody collects into a `Vec`.

use std::io;

/// Takes items one by one.
pub trait Sink<T> {
    /// Takes one item.
    ///
    /// # Errors
    /// If it cannot be stored: the run should end, what was stored before is still good.
    fn put(&mut self, item: T) -> io::Result<()>;
}

/// Keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Discard;

impl<T> Sink<T> for Discard {
    fn put(&mut self, _: T) -> io::Result<()> {
        Ok(())
    }
}

/// Keeps everything in memory.
impl<T> Sink<T> for Vec<T> {
    fn put(&mut self, item: T) -> io::Result<()> {
        self.push(item);
        Ok(())
    }
}

/// Fills two sinks.
impl<T: Clone, A: Sink<T>, B: Sink<T>> Sink<T> for (A, B) {
    fn put(&mut self, item: T) -> io::Result<()> {
        self.0.put(item.clone())?;
        self.1.put(item)
    }
}

impl<T, S: Sink<T> + ?Sized> Sink<T> for &mut S {
    fn put(&mut self, item: T) -> io::Result<()> {
        (**self).put(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_fills_both_in_order() {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let mut both = (&mut left, &mut right);
        for item in [3, 1, 2] {
            both.put(item).unwrap();
        }
        Discard.put(4).unwrap();
        assert_eq!((left, right), (vec![3, 1, 2], vec![3, 1, 2]));
    }
}
