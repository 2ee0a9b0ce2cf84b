//! The data that a first start leaves: keys, certificates, tables, accounts. Making it takes seconds, so a test program
//! makes it once, and every test has a copy.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use local::{Aws, Options, stand_ins::Storage};
use tempfile::TempDir;
use tokio::sync::OnceCell;

/// Memory as a file system, where there is one: the stand-ins wait until a disk has what they wrote.
const MEMORY: &str = "/dev/shm";

/// The files by their names.
type Files = Vec<(PathBuf, Vec<u8>)>;

/// A copy of the data.
pub(crate) async fn copy() -> TempDir {
    static PREPARED: OnceCell<(Vec<PathBuf>, Files)> = OnceCell::const_new();
    let (directories, files) = Box::pin(PREPARED.get_or_init(prepare)).await;
    let copy = directory();
    for directory in directories {
        fs::create_dir(copy.path().join(directory)).unwrap();
    }
    for (name, content) in files {
        fs::write(copy.path().join(name), content).unwrap();
    }
    copy
}

/// The data as a service's storage.
pub(crate) fn storage(data: &TempDir) -> Storage {
    Storage::Directory(data.path().to_owned())
}

fn directory() -> TempDir {
    let place = Path::new(MEMORY);
    if place.is_dir() { tempfile::tempdir_in(place) } else { tempfile::tempdir() }.unwrap()
}

/// Starts a service and stops it.
async fn prepare() -> (Vec<PathBuf>, Files) {
    let data = directory();
    let options = Options { aws: Aws::StandIns(storage(&data)), ..Options::for_tests() };
    drop(local::Service::start(options).await.unwrap());
    storage(&data).closed().await;
    let (mut directories, mut files) = (Vec::new(), Vec::new());
    read(data.path(), Path::new(""), &mut directories, &mut files).unwrap();
    (directories, files)
}

/// Directories before what they hold.
fn read(root: &Path, below: &Path, directories: &mut Vec<PathBuf>, files: &mut Files) -> io::Result<()> {
    for entry in fs::read_dir(root.join(below))? {
        let entry = entry?;
        let name = below.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            directories.push(name.clone());
            read(root, &name, directories, files)?;
        } else {
            files.push((name, fs::read(entry.path())?));
        }
    }
    Ok(())
}
