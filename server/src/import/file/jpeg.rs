//! JPEG pictures, and the one thing that is kept of what a camera writes: which side is up.

use bytes::Bytes;
use img_parts::ImageEXIF;
use img_parts::jpeg::{Jpeg, markers};

use super::picture::broken;

/// The tag under which a camera says which side is up.
const ORIENTATION: u16 = 0x0112;

/// The length of a JFIF segment without a thumbnail, which may show more than the picture does.
const JFIF: usize = 16;

/// A picture's width and height, and its bytes without what tells where, when and with what it was made.
pub(super) fn read(bytes: &Bytes) -> Result<((u32, u32), Bytes), String> {
    // What follows the picture is none of it: phones append a film, or a larger copy.
    let end = end(bytes).ok_or_else(broken)?;
    let mut picture = Jpeg::from_bytes(bytes.slice(..end)).map_err(|_| broken())?;
    let (width, height) = picture.dimensions().ok_or_else(broken)?;
    let turned = turned(picture.exif());
    picture.segments_mut().retain(|segment| is_kept(segment.marker(), segment.contents()));
    picture.set_exif(turned);
    Ok(((width.into(), height.into()), picture.encoder().bytes()))
}

/// Whether a segment says how the picture looks.
fn is_kept(marker: u8, contents: &[u8]) -> bool {
    match marker {
        // The colour profile, but no index of further pictures.
        markers::APP2 => contents.starts_with(b"ICC_PROFILE\0"),
        // JFIF, but no thumbnail, and Adobe's word on how colours are coded.
        markers::APP0 => contents.starts_with(b"JFIF\0") && contents.len() <= JFIF,
        markers::APP14 => contents.starts_with(b"Adobe"),
        markers::APP1..=markers::APP15 | markers::COM => false,
        _ => true,
    }
}

/// Where the picture ends.
fn end(bytes: &[u8]) -> Option<usize> {
    let mut at = 2;
    loop {
        at += memchr::memchr(0xFF, bytes.get(at..)?)?;
        match bytes.get(at + 1)? {
            0xFF => at += 1,
            0x00 | 0x01 | 0xD0..=0xD7 => at += 2,
            0xD9 => return Some(at + 2),
            _ => {
                let length = bytes.get(at + 2..at + 4)?;
                at += 2 + usize::from(u16::from_be_bytes([length[0], length[1]]));
            }
        }
    }
}

/// All that is kept of what a camera wrote: which side is up, where that is not the first.
pub(super) fn turned(exif: Option<Bytes>) -> Option<Bytes> {
    let side = orientation(&exif?).filter(|side| (2..=8).contains(side))?;
    let [high, low] = ORIENTATION.to_be_bytes();
    // Big-endian, one entry of one short number, and no more of these.
    let written = [b'M', b'M', 0, 42, 0, 0, 0, 8, 0, 1, high, low, 0, 3, 0, 0, 0, 1, 0, side, 0, 0, 0, 0, 0, 0];
    Some(Bytes::copy_from_slice(&written))
}

fn orientation(exif: &[u8]) -> Option<u8> {
    let is_little = match exif.get(..4)? {
        [b'I', b'I', 42, 0] => true,
        [b'M', b'M', 0, 42] => false,
        _ => return None,
    };
    let short = |at: usize| {
        let two: [u8; 2] = exif.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(if is_little { u16::from_le_bytes(two) } else { u16::from_be_bytes(two) })
    };
    let four: [u8; 4] = exif.get(4..8)?.try_into().ok()?;
    let first = if is_little { u32::from_le_bytes(four) } else { u32::from_be_bytes(four) };
    let first = usize::try_from(first).ok()?;
    let count = usize::from(short(first)?);
    let mut entries = (0..count).filter_map(|entry| first.checked_add(2 + entry * 12));
    let entry = entries.find(|&entry| short(entry) == Some(ORIENTATION))?;
    u8::try_from(short(entry.checked_add(8)?)?).ok()
}
