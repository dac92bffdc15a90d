//! Reading and writing at fixed places, so that a place outside the header does not compile.

use crate::error::{Format, WireError, WireErrorKind};

/// The `N` bytes at offset `AT` of a header.
pub(crate) const fn get<const AT: usize, const N: usize, const SIZE: usize>(header: &[u8; SIZE]) -> [u8; N] {
    const { assert!(AT + N <= SIZE, "field outside the header") };
    let mut field = [0; N];
    let mut i = 0;
    while i < N {
        field[i] = header[AT + i];
        i += 1;
    }
    field
}

/// Writes the `N` bytes at offset `AT` of a header.
pub(crate) const fn set<const AT: usize, const N: usize, const SIZE: usize>(
    header: &mut [u8; SIZE],
    field: [u8; N],
) {
    const { assert!(AT + N <= SIZE, "field outside the header") };
    let mut i = 0;
    while i < N {
        header[AT + i] = field[i];
        i += 1;
    }
}

/// The first `SIZE` bytes as a header, and what follows.
pub(crate) fn split<const SIZE: usize>(
    format: Format,
    bytes: &[u8],
) -> Result<(&[u8; SIZE], &[u8]), WireError> {
    bytes.split_first_chunk().ok_or(format.truncated(SIZE, bytes.len()))
}

/// The first `SIZE` bytes as a header that may be rewritten.
pub(crate) fn split_mut<const SIZE: usize>(
    format: Format,
    bytes: &mut [u8],
) -> Result<(&mut [u8; SIZE], &mut [u8]), WireError> {
    let have = bytes.len();
    bytes.split_first_chunk_mut().ok_or(format.truncated(SIZE, have))
}

/// The first `need` bytes of the output.
pub(crate) fn room(format: Format, output: &mut [u8], need: usize) -> Result<&mut [u8], WireError> {
    let have = output.len();
    output.get_mut(..need).ok_or(format.error(WireErrorKind::NoRoom { need, have }))
}

/// Copies `bytes` to the start of the output and says how many there were.
pub(crate) fn write(format: Format, output: &mut [u8], bytes: &[u8]) -> Result<usize, WireError> {
    room(format, output, bytes.len())?.copy_from_slice(bytes);
    Ok(bytes.len())
}
