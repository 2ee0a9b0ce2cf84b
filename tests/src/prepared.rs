//! The data of a first start: keys, certificates, tables, accounts. Creating it takes seconds, so a test program
//! creates it once and each test gets a copy.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use local::{Aws, Options, stand_ins::Storage};
use tempfile::TempDir;
use tokio::sync::OnceCell;

/// A file system in memory, used if it exists. On disk, the stand-ins would wait for every write.
const MEMORY: &str = "/dev/shm";

/// Files with their paths.
type Files = Vec<(PathBuf, Vec<u8>)>;

/// Creates a copy of the data.
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

/// The data as storage of a service.
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

/// Lists directories before their contents.
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
