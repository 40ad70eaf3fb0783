//! GIF pictures, block by block.

use bytes::Bytes;

use super::picture::{broken, moves};

/// The one extension that says how a still picture looks: which colour is transparent.
const GRAPHIC_CONTROL: u8 = 0xF9;

/// A picture's width and height, and its bytes without comments and whatever else programs write into it.
pub(super) fn read(bytes: &Bytes) -> Result<((u32, u32), Bytes), String> {
    let mut reader = Reader { bytes, at: 0, kept: Vec::with_capacity(bytes.len()) };
    let (size, images) = reader.blocks().ok_or_else(broken)?;
    match images {
        0 => Err(broken()),
        1 => Ok((size, reader.kept.into())),
        _ => Err(moves()),
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    kept: Vec<u8>,
}

impl<'a> Reader<'a> {
    /// Walks to the end; the size, and how many pictures there are.
    fn blocks(&mut self) -> Option<((u32, u32), usize)> {
        let head = self.keep(13)?;
        let short = |at: usize| Some(u32::from(u16::from_le_bytes([*head.get(at)?, *head.get(at + 1)?])));
        let size = (short(6)?, short(8)?);
        self.colours(*head.get(10)?)?;
        let mut images = 0;
        loop {
            match *self.bytes.get(self.at)? {
                0x3B => {
                    self.keep(1)?;
                    return Some((size, images));
                }
                0x2C => {
                    images += 1;
                    let flags = *self.keep(10)?.get(9)?;
                    self.colours(flags)?;
                    self.keep(1)?;
                    let from = self.at;
                    self.pass_over()?;
                    self.kept.extend_from_slice(self.bytes.get(from..self.at)?);
                }
                0x21 => {
                    let from = self.at;
                    let label = *self.bytes.get(from + 1)?;
                    self.at += 2;
                    self.pass_over()?;
                    if label == GRAPHIC_CONTROL {
                        self.kept.extend_from_slice(self.bytes.get(from..self.at)?);
                    }
                }
                _ => return None,
            }
        }
    }

    /// The next bytes, which are kept.
    fn keep(&mut self, count: usize) -> Option<&'a [u8]> {
        let next = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.kept.extend_from_slice(next);
        self.at += count;
        Some(next)
    }

    /// A table of colours, where the flags say that there is one.
    fn colours(&mut self, flags: u8) -> Option<()> {
        if flags & 0x80 != 0 {
            self.keep(3 << ((flags & 7) + 1))?;
        }
        Some(())
    }

    /// Goes behind a chain of sub-blocks.
    fn pass_over(&mut self) -> Option<()> {
        loop {
            let length = usize::from(*self.bytes.get(self.at)?);
            self.at += 1 + length;
            if length == 0 {
                return Some(());
            }
        }
    }
}
