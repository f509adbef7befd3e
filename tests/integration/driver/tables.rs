//! Endgame tables that several tests read, built once.

use super::empty_folder;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use sundarban::rules::RuleSet;
use sundarban::tablebase::build::{BuildPlan, build};

/// The tables of a rule set with up to `goats` goats and one herd, with distances or with values only.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tables {
    /// The rule set's name.
    pub rules: &'static str,
    /// Most goats.
    pub goats: u32,
    /// Whether they have distances as well.
    pub distances: bool,
}

impl Tables {
    /// Those of baghbandi with distances.
    pub fn with_distances(goats: u32) -> Self {
        Self { rules: "baghbandi", goats, distances: true }
    }

    /// Those of baghbandi with values only.
    pub fn values_only(goats: u32) -> Self {
        Self { distances: false, ..Self::with_distances(goats) }
    }

    /// Their folder, for reading only: it is built when a test asks for it first, and stays until the next run.
    pub fn folder(self) -> PathBuf {
        static FOLDERS: Mutex<Option<HashMap<Tables, Arc<OnceLock<PathBuf>>>>> = Mutex::new(None);
        // Others of them may be asked for while these are built.
        let folder = {
            let mut folders = FOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(folders.get_or_insert_default().entry(self).or_default())
        };
        folder.get_or_init(|| self.build()).clone()
    }

    /// A copy of one of their files, into a folder that is there.
    pub fn copy(self, file: &str, to: &Path) {
        std::fs::copy(self.folder().join(file), to.join(file)).unwrap();
    }

    fn build(self) -> PathBuf {
        let kind = if self.distances { "distances" } else { "values" };
        let dir = empty_folder(&format!("tables-of-all-{}-{}-{kind}", self.rules, self.goats));
        let plan = BuildPlan {
            rules: RuleSet::named(self.rules).unwrap(),
            dir: dir.clone(),
            goats: self.goats,
            herds: 1,
            layer: None,
            distances: self.distances,
            memory: 1 << 30,
            threads: 2,
        };
        build(&plan, |_| {}).unwrap();
        dir
    }
}
