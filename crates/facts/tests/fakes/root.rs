use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use slipway_host::Machine;

/// A temporary directory that stands for a machine.
pub struct Root {
    directory: PathBuf,
    machine: Machine,
}

impl Root {
    pub fn new(files: &[(&str, &[u8])]) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let directory = std::env::temp_dir().join(format!("slipway-facts-{}-{number}", std::process::id()));
        for (path, content) in files {
            let path = directory.join(Path::new(path).strip_prefix("/").unwrap());
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let machine = Machine::below(&directory).unwrap();
        Self { directory, machine }
    }
}

impl Deref for Root {
    type Target = Machine;

    fn deref(&self) -> &Machine {
        &self.machine
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}
