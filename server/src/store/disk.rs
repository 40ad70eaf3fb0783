//! What lies under a local object store: making a kept file outlast a power failure, and clearing what a crash left.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The folder of files on their way in.
pub(super) const INCOMING: &str = "incoming";

/// How long a half-kept file lies still before it is taken for one that nobody will complete. Another process may be
/// importing beside this one; each of its writes makes its file young again.
pub(super) const ABANDONED: Duration = Duration::from_hours(24);

/// Makes a folder, and its name in the folder above outlast a power failure.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    std::fs::create_dir_all(folder)?;
    folder.parent().map_or(Ok(()), sync_folder)
}

/// Returns once the file under a key, and each folder's entry on the way to it, are on the disk itself.
pub(super) fn settle(folder: &Path, key: &str) -> io::Result<()> {
    let file = folder.join(key);
    File::open(&file)?.sync_all()?;
    for above in file.ancestors().skip(1) {
        sync_folder(above)?;
        if above == folder {
            break;
        }
    }
    Ok(())
}

/// A folder is synced by itself: a file's own sync says nothing of its name.
fn sync_folder(folder: &Path) -> io::Result<()> {
    // "" is how a relative path spells the folder that the process is in.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    // Elsewhere a folder cannot be opened, and the file system orders the names itself.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Removes the half-kept files that nobody has written to for a day; answers how many there were.
pub(super) fn sweep(folder: &Path, now: SystemTime) -> io::Result<usize> {
    let mut swept = 0;
    for entry in std::fs::read_dir(folder)? {
        let inner = entry?;
        if !inner.file_type()?.is_dir() {
            continue;
        }
        let all = inner.file_name() == INCOMING;
        for entry in std::fs::read_dir(inner.path())? {
            let entry = entry?;
            if (all || is_staged(&entry.file_name().to_string_lossy())) && is_abandoned(&entry, now) {
                match std::fs::remove_file(entry.path()) {
                    // Another process may sweep at the same time.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    removed => swept += removed.map(|()| 1)?,
                }
            }
        }
    }
    Ok(swept)
}

/// Whether a name is one that the object store writes under before it renames: the final one, `#` and a number.
fn is_staged(name: &str) -> bool {
    name.rsplit_once('#').is_some_and(|(_, number)| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// A file that is gone or whose age cannot be told is left alone.
fn is_abandoned(entry: &std::fs::DirEntry, now: SystemTime) -> bool {
    let modified = entry.metadata().ok().filter(std::fs::Metadata::is_file).and_then(|data| data.modified().ok());
    modified.and_then(|at| now.duration_since(at).ok()).is_some_and(|age| age > ABANDONED)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: SystemTime = SystemTime::UNIX_EPOCH;

    #[test]
    fn only_half_kept_files_that_lay_still_for_a_day_are_swept() {
        let folder = tempfile::tempdir().expect("a folder");
        let hours = |hours: u64| START + Duration::from_secs(hours * 3600);
        for (name, written, stays) in [
            ("incoming/file_1#1", 0, false),
            ("incoming/file_2", 0, false),
            ("ab/abcd.zst#12", 0, false),
            ("incoming/file_3#1", 20, true),
            ("ab/abcd.zst", 0, true),
            ("ab/ab#cd.zst", 0, true),
            ("cd/cdef.zst#1", 30, true),
        ] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder above")).expect("made");
            let file = File::create(&path).expect("made");
            file.set_modified(hours(written)).expect("aged");
            sweep(folder.path(), hours(25)).expect("swept");
            assert_eq!(path.exists(), stays, "{name}");
        }
        assert_eq!(sweep(folder.path(), hours(45)).expect("swept"), 1);
        assert_eq!(sweep(folder.path(), hours(45)).expect("swept"), 0);
    }

    #[test]
    fn a_file_settles_only_where_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        make_folder(&folder.path().join("ab")).expect("made");
        std::fs::write(folder.path().join("ab/abcd.zst"), b"x").expect("written");
        settle(folder.path(), "ab/abcd.zst").expect("on disk");
        assert!(settle(folder.path(), "ab/none.zst").is_err());
    }
}
