use bytes::{BufMut as _, Bytes, BytesMut};
use domain::evidence::MediaType;
use img_parts::ImageEXIF;
use img_parts::jpeg::Jpeg;
use img_parts::png::{Png, PngChunk};
use img_parts::riff::{RiffChunk, RiffContent};
use img_parts::webp::WebP;
use proptest::prelude::*;

use super::{MAX_SIDE, Seen, look};

/// What a camera writes: a place, and which side is up.
fn exif(side: u8) -> Bytes {
    let mut written = BytesMut::new();
    written.put_slice(b"II*\0\x08\0\0\0\x02\0");
    for (tag, value) in [(0x0112_u16, u32::from(side)), (0x8825, 0x5347)] {
        written.put_u16_le(tag);
        written.put_slice(b"\x03\0\x01\0\0\0");
        written.put_u32_le(value);
    }
    written.put_slice(b"\0\0\0\0GPS 59.9 N 10.7 E");
    written.freeze()
}

fn png(width: u32, height: u32, more: &[(&[u8; 4], &[u8])]) -> Bytes {
    let mut header = BytesMut::new();
    header.put_u32(width);
    header.put_u32(height);
    header.put_slice(b"\x08\x02\0\0\0");
    let chunk = |kind: &[u8; 4], content: &[u8]| {
        let mut chunk = BytesMut::new();
        PngChunk::new(*kind, Bytes::copy_from_slice(content)).encoder().bytes().iter().for_each(|&b| chunk.put_u8(b));
        chunk
    };
    let mut file = BytesMut::from(&b"\x89PNG\r\n\x1a\n"[..]);
    file.extend(chunk(b"IHDR", &header));
    for (kind, content) in more {
        file.extend(chunk(kind, content));
    }
    file.extend(chunk(b"IDAT", b"pixels"));
    file.extend(chunk(b"IEND", b""));
    file.freeze()
}

fn jpeg(more: &[(u8, &[u8])]) -> Bytes {
    let mut file = BytesMut::from(&b"\xFF\xD8"[..]);
    let mut segment = |marker: u8, content: &[u8]| {
        file.put_u8(0xFF);
        file.put_u8(marker);
        file.put_u16(u16::try_from(content.len() + 2).expect("short"));
        file.put_slice(content);
    };
    segment(0xE0, b"JFIF\0\x01\x02\0\0\x01\0\x01\0\0");
    for (marker, content) in more {
        segment(*marker, content);
    }
    segment(0xC0, b"\x08\x02\xD0\x05\0\x01\x01\x11\0");
    segment(0xDA, b"\x01\x01\0\0\x3F\0");
    file.put_slice(b"pix\xFF\0els\xFF\xD0more\xFF\xD9");
    file.freeze()
}

fn webp(chunks: &[(&[u8; 4], &[u8])]) -> Bytes {
    let of = |(id, data): &(&[u8; 4], &[u8])| RiffChunk::new(**id, RiffContent::Data(Bytes::copy_from_slice(data)));
    let subchunks = chunks.iter().map(of).collect();
    RiffChunk::new(*b"RIFF", RiffContent::List { kind: Some(*b"WEBP"), subchunks }).encoder().bytes()
}

const VP8: (&[u8; 4], &[u8]) = (b"VP8 ", b"\x50\x5a\x00\x9d\x01\x2a\xcd\x02\x00\x02");

fn gif(images: usize, comment: &[u8]) -> Bytes {
    let mut file = BytesMut::from(&b"GIF89a\x20\0\x10\0\x80\0\0aaabbb"[..]);
    if !comment.is_empty() {
        file.put_slice(b"\x21\xFE");
        file.put_u8(u8::try_from(comment.len()).expect("short"));
        file.put_slice(comment);
        file.put_u8(0);
    }
    for _ in 0..images {
        file.put_slice(b"\x21\xF9\x04\0\0\0\0\0\x2C\0\0\0\0\x20\0\x10\0\0\x02\x03abc\0");
    }
    file.put_u8(0x3B);
    file.freeze()
}

fn seen(bytes: &Bytes) -> Seen {
    look(bytes).unwrap_or_else(|why| panic!("{bytes:?}: {why}"))
}

fn refusal(bytes: &[u8]) -> String {
    match look(&Bytes::copy_from_slice(bytes)) {
        Ok(seen) => panic!("{bytes:?} was taken as {seen:?}"),
        Err(why) => why,
    }
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[test]
fn a_file_is_what_it_holds_whatever_it_is_called() {
    for (text, media) in [
        ("09:46 timeout\n09:47 timeout\n", MediaType::Text),
        ("\u{1b}[31merror\u{1b}[0m caf\u{e9}\n", MediaType::Text),
        ("a,b\n1,2\n3,4\n", MediaType::Csv),
        ("a;b\n1;2\n", MediaType::Csv),
        ("a,b\n1,2,3\n", MediaType::Text),
        (" {\"a\": [1]}", MediaType::Json),
        ("{\"a\": [1]}\n{\"a\": 2}\n", MediaType::Text),
        ("<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>", MediaType::Text),
        ("<!doctype html><script>alert(1)</script>", MediaType::Text),
        ("%PDF-1.7\n%\u{e2}\n", MediaType::Pdf),
    ] {
        let bytes = Bytes::copy_from_slice(text.as_bytes());
        assert_eq!(seen(&bytes), Seen { media, size: None, bytes }, "{text}");
    }
    for (bytes, reason) in [
        (&b""[..], "the file is empty"),
        (b"MZ\x90\0\x03", "no kind of file that is known here"),
        (b"\x7fELF\x02\x01", "no kind of file"),
        (b"PK\x03\x04\x14\0\x08\0", "no kind of file"),
        (b"\x1f\x8b\x08\0\0\0", "no kind of file"),
        (b"a\0b", "letters that no text has; evidence may be a picture"),
        (b"\xFF\xFEa\0b\0", "save it as UTF-8"),
        (b"II*\0\x08\0\0\0", "no kind of file"),
        (b"\x89PNG\r\n\x1a\nnonsense", "the picture is broken"),
        (b"\xFF\xD8\xFF\xE0\xFF\xFF", "the picture is broken"),
        (b"GIF89a\x20\0\x10\0\x80\0\0", "the picture is broken"),
        (b"RIFF\x04\0\0\0WEBP", "the picture is broken"),
    ] {
        assert!(refusal(bytes).contains(reason), "{bytes:?}: {}", refusal(bytes));
    }
}

#[test]
fn what_tells_where_and_by_whom_a_picture_was_taken_is_taken_out() {
    let place = exif(1);
    let given = png(1280, 720, &[(b"eXIf", &place), (b"tEXt", b"Author\0Mia"), (b"gAMA", b"\0\0\xb1\x8f")]);
    let mut tailed = BytesMut::from(&given[..]);
    tailed.put_slice(b"<script>alert(1)</script>");
    for given in [given, tailed.freeze()] {
        let kept = seen(&given);
        assert_eq!((kept.media, kept.size), (MediaType::Png, Some((1280, 720))));
        assert!(!holds(&kept.bytes, b"GPS") && !holds(&kept.bytes, b"Mia") && !holds(&kept.bytes, b"script"));
        assert!(holds(&kept.bytes, b"gAMA") && holds(&kept.bytes, b"pixels"));
        assert_eq!(seen(&kept.bytes).bytes, kept.bytes, "what is kept is kept as it is");
    }

    let app1 = [b"Exif\0\0", &place[..]].concat();
    let xmp = b"http://ns.adobe.com/xap/1.0/\0<x>Mia</x>";
    let icc = b"ICC_PROFILE\0\x01\x01colours";
    let given = jpeg(&[
        (0xE1, &app1),
        (0xE1, xmp),
        (0xE2, icc),
        (0xE2, b"MPF\0more"),
        (0xED, b"Photoshop Mia"),
        (0xFE, b"by Mia"),
    ]);
    let mut tailed = BytesMut::from(&given[..]);
    tailed.put_slice(b"ftypmp42 GPS");
    for given in [given, tailed.freeze()] {
        let kept = seen(&given);
        assert_eq!((kept.media, kept.size), (MediaType::Jpeg, Some((1280, 720))));
        for part in [&b"GPS"[..], b"Mia", b"MPF", b"Exif"] {
            assert!(!holds(&kept.bytes, part), "{part:?}");
        }
        assert!(holds(&kept.bytes, b"colours") && holds(&kept.bytes, b"pix\xFF\0els\xFF\xD0more\xFF\xD9"));
        assert_eq!(seen(&kept.bytes).bytes, kept.bytes);
    }

    let given = webp(&[(b"VP8X", b"\x0C\0\0\0\xcc\x02\0\xff\x01\0"), VP8, (b"EXIF", &place), (b"XMP ", b"<x>Mia</x>")]);
    let kept = seen(&given);
    assert_eq!((kept.media, kept.size), (MediaType::Webp, Some((717, 512))));
    assert!(!holds(&kept.bytes, b"GPS") && !holds(&kept.bytes, b"Mia"));
    assert_eq!(seen(&kept.bytes).bytes, kept.bytes);

    let kept = seen(&gif(1, b"by Mia"));
    assert_eq!((kept.media, kept.size, kept.bytes), (MediaType::Gif, Some((32, 16)), gif(1, b"")));
}

#[test]
fn a_picture_that_was_taken_sideways_stays_upright() {
    let app1 = [b"Exif\0\0", &exif(6)[..]].concat();
    let kept = seen(&jpeg(&[(0xE1, &app1)]));
    assert!(!holds(&kept.bytes, b"GPS"));
    let sides = [
        Jpeg::from_bytes(kept.bytes).expect("a picture").exif(),
        Png::from_bytes(seen(&png(9, 9, &[(b"eXIf", &exif(6))])).bytes).expect("a picture").exif(),
        WebP::from_bytes(seen(&webp(&[VP8, (b"EXIF", &exif(6))])).bytes).expect("a picture").exif(),
    ];
    for side in sides {
        assert_eq!(super::jpeg::turned(side.clone()), side.filter(|side| side[19] == 6));
    }
}

#[test]
fn a_picture_that_moves_or_would_fill_the_memory_is_refused() {
    assert!(refusal(&gif(2, b"")).contains("the picture moves"));
    assert!(refusal(&png(9, 9, &[(b"acTL", b"\0\0\0\x02\0\0\0\0")])).contains("the picture moves"));
    assert!(
        refusal(&webp(&[(b"VP8X", b"\x02\0\0\0\xcc\x02\0\xff\x01\0"), (b"ANIM", b"\0\0\0\0\0\0")])).contains("moves")
    );
    assert!(refusal(&png(100_000, 100_000, &[])).contains("100000 × 100000 pixels"));
    assert!(refusal(&png(MAX_SIDE + 1, 1, &[])).contains("20001 × 1 pixels"));
    assert!(refusal(&png(10_000, 5_001, &[])).contains("50 million in all"));
    assert_eq!(seen(&png(10_000, 5_000, &[])).size, Some((10_000, 5_000)));
    assert!(refusal(&png(0, 9, &[])).contains("broken"));
    assert!(refusal(&gif(0, b"")).contains("broken"));
}

proptest! {
    #[test]
    fn no_file_makes_it_panic_and_what_is_kept_is_taken_again(
        head in prop::sample::select(vec![
            png(9, 9, &[(b"eXIf", &exif(3)), (b"tEXt", b"a\0b")]),
            jpeg(&[(0xE1, b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0"), (0xFE, b"x")]),
            webp(&[(b"VP8X", b"\x0C\0\0\0\xcc\x02\0\xff\x01\0"), VP8, (b"XMP ", b"x")]),
            gif(1, b"x"),
            Bytes::from_static(b"%PDF-1.7"),
            Bytes::from_static(b"a,b\n1,2\n"),
        ]),
        cut in 0_usize..400,
        changes in prop::collection::vec((0_usize..400, any::<u8>()), 0..12),
        tail in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let mut bytes = head.to_vec();
        for (at, byte) in changes {
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
        }
        bytes.truncate(cut.max(4));
        bytes.extend(tail);
        if let Ok(seen) = look(&bytes.into()) {
            let again = look(&seen.bytes);
            prop_assert_eq!(again.as_ref().map(|again| (&again.bytes, again.media)), Ok((&seen.bytes, seen.media)));
        }
    }
}
