//! Pictures: their size, whether they move, and what is taken out of them. Nothing of a picture is decoded.

use bytes::Bytes;
use domain::evidence::MediaType;
use img_parts::ImageEXIF;
use img_parts::png::Png;
use img_parts::webp::WebP;

use super::{gif, jpeg};

/// The chunks of a PNG that say how it looks. All others are left out: they tell when, where and with what it was made.
const PNG_KEPT: [&[u8; 4]; 13] = [
    b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"sBIT", b"bKGD", b"pHYs", b"cICP",
];

/// The chunks of a WebP that say how it looks.
const WEBP_KEPT: [&[u8; 4]; 6] = [b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ICCP", b"EXIF"];

/// What kind of picture begins so.
pub(super) fn media(bytes: &[u8]) -> Option<MediaType> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some(MediaType::Png)
    } else if bytes.starts_with(b"\xFF\xD8\xFF") {
        Some(MediaType::Jpeg)
    } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        Some(MediaType::Gif)
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some(MediaType::Webp)
    } else {
        None
    }
}

/// A picture's width and height, and its bytes without what tells where, when and with what it was made.
pub(super) fn read(media: MediaType, bytes: &Bytes) -> Result<((u32, u32), Bytes), String> {
    let read = match media {
        MediaType::Png => png(bytes),
        MediaType::Jpeg => jpeg::read(bytes),
        MediaType::Webp => webp(bytes),
        _ => gif::read(bytes),
    };
    let (size, kept) = read?;
    if size.0 == 0 || size.1 == 0 {
        return Err(broken());
    }
    Ok((size, kept))
}

pub(super) fn broken() -> String {
    "the picture is broken: it ends too early, or what it begins with is not what follows".to_owned()
}

pub(super) fn moves() -> String {
    "the picture moves; evidence is a still one, so send the frame that matters".to_owned()
}

fn png(bytes: &Bytes) -> Result<((u32, u32), Bytes), String> {
    let mut picture = Png::from_bytes(bytes.clone()).map_err(|_| broken())?;
    if picture.chunk_by_type(*b"acTL").is_some() {
        return Err(moves());
    }
    let size = picture.dimensions().ok_or_else(broken)?;
    if picture.chunk_by_type(*b"IDAT").is_none() {
        return Err(broken());
    }
    let turned = jpeg::turned(picture.exif());
    picture.chunks_mut().retain(|chunk| PNG_KEPT.contains(&&chunk.kind()));
    picture.set_exif(turned);
    Ok((size, picture.encoder().bytes()))
}

fn webp(bytes: &Bytes) -> Result<((u32, u32), Bytes), String> {
    // What follows the picture is none of it.
    let length = bytes.get(4..8).and_then(|length| Some(u32::from_le_bytes(length.try_into().ok()?)));
    let end = length.and_then(|length| usize::try_from(length).ok()?.checked_add(8));
    let end = end.filter(|&end| end <= bytes.len()).ok_or_else(broken)?;
    let mut picture = WebP::from_bytes(bytes.slice(..end)).map_err(|_| broken())?;
    if picture.has_chunk(*b"ANIM") || picture.has_chunk(*b"ANMF") {
        return Err(moves());
    }
    if !picture.has_chunk(*b"VP8 ") && !picture.has_chunk(*b"VP8L") {
        return Err(broken());
    }
    let size = picture.dimensions().ok_or_else(broken)?;
    // The picture itself says its size too, and that is what is decoded.
    let mut itself = picture.clone();
    itself.remove_chunks_by_id(*b"VP8X");
    if itself.dimensions() != Some(size) {
        return Err(broken());
    }
    let turned = jpeg::turned(picture.exif());
    picture.chunks_mut().retain(|chunk| WEBP_KEPT.contains(&&chunk.id()));
    picture.set_exif(turned);
    Ok((size, picture.encoder().bytes()))
}
