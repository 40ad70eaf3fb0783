//! Taking a file out of its compression, recognised by its first bytes and not by its name.

use std::io::{self, BufReader, Cursor, Read};

use flate2::bufread::MultiGzDecoder;

use super::super::ImportError;

/// The most bytes that a file may have once it is unpacked: a small archive can hold endlessly many.
pub(super) const MOST_UNPACKED: u64 = 256 << 30;

/// The largest window that an archive may ask for: 2 to this power, which is what zstd itself grants.
const WINDOW: u32 = 27;

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::import) enum Packing {
    /// Not at all.
    None,
    /// gzip, of one member or several.
    Gzip,
    /// Zstandard, of one frame or several.
    Zstd,
}

/// A file as it is read: taken out of its compression, and limited in size.
pub(super) struct Unpacked<'a> {
    text: Box<dyn Read + Send + 'a>,
    packing: Packing,
    left: u64,
}

impl<'a> Unpacked<'a> {
    /// Recognises the compression.
    pub(super) fn new(mut source: impl Read + Send + 'a) -> Result<Self, ImportError> {
        let mut start = [0; 4];
        let mut filled = 0;
        while filled < start.len() {
            match source.read(&mut start[filled..]) {
                Ok(0) => break,
                Ok(length) => filled += length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(Packing::None, &error, 1)),
            }
        }
        let whole = Cursor::new(start).take(filled as u64).chain(source);
        let (packing, text): (_, Box<dyn Read + Send + 'a>) = match &start[..filled] {
            [0x1F, 0x8B, ..] => {
                (Packing::Gzip, Box::new(MultiGzDecoder::new(BufReader::with_capacity(1 << 16, whole))))
            }
            [0x28, 0xB5, 0x2F, 0xFD] => {
                let refused = |error: io::Error| ImportError::Refused(format!("the archive cannot be read: {error}"));
                let mut decoder = zstd::Decoder::new(whole).map_err(refused)?;
                decoder.window_log_max(WINDOW).map_err(refused)?;
                (Packing::Zstd, Box::new(decoder))
            }
            [b'P', b'K', 3, 4] => return Err(unpack_first("a zip archive")),
            [b'B', b'Z', b'h', _] => return Err(unpack_first("compressed with bzip2")),
            [0xFD, b'7', b'z', b'X'] => return Err(unpack_first("compressed with xz")),
            [b'P', b'A', b'R', b'1'] => return Err(unpack_first("a Parquet file")),
            _ => (Packing::None, Box::new(whole)),
        };
        Ok(Self { text, packing, left: MOST_UNPACKED })
    }

    /// How the file is compressed.
    pub(super) fn packing(&self) -> Packing {
        self.packing
    }

    /// Fills a buffer up to a length, as far as the file reaches; `line` is where the buffer begins, for errors.
    pub(super) fn fill(&mut self, buffer: &mut Vec<u8>, length: usize, line: u64) -> Result<(), ImportError> {
        let before = buffer.len();
        let wanted = length.saturating_sub(before) as u64;
        let read = (&mut self.text).take(wanted).read_to_end(buffer);
        let lines = || memchr::memchr_iter(b'\n', buffer).count() as u64;
        match read {
            Ok(_) => {}
            Err(error) => return Err(failed(self.packing, &error, line + lines())),
        }
        self.left = self.left.saturating_sub((buffer.len() - before) as u64);
        if self.left == 0 {
            return Err(ImportError::Refused(format!(
                "line {}: unpacked, the file has more than {} GiB; import it in parts",
                line + lines(),
                MOST_UNPACKED >> 30
            )));
        }
        Ok(())
    }
}

fn unpack_first(what: &str) -> ImportError {
    ImportError::Refused(format!(
        "the file is {what}; unpack it, or write it as CSV or NDJSON, with gzip or zstd if need be"
    ))
}

fn failed(packing: Packing, error: &io::Error, line: u64) -> ImportError {
    ImportError::Refused(match (packing, error.kind()) {
        (Packing::None, _) => format!("line {line}: the file cannot be read further: {error}"),
        (_, io::ErrorKind::UnexpectedEof) => {
            format!("line {line}: the archive ends before its end; it was cut short, so fetch it again whole")
        }
        _ => format!("line {line}: the archive is damaged and cannot be read further: {error}"),
    })
}
