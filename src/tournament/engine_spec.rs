//! How an engine is started and set up: its program, protocol, limits and options.

use crate::platform;
use crate::text::quoted_path;
use crate::tournament::limits::EngineLimits;
use std::fs;
use std::path::PathBuf;

/// The protocol an engine is spoken to in.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum EngineProtocol {
    #[default]
    Uci,
    Ugi,
}

impl EngineProtocol {
    /// The greeting, which is also the protocol's name in options.
    pub const fn greeting(self) -> &'static str {
        match self {
            Self::Uci => "uci",
            Self::Ugi => "ugi",
        }
    }

    /// The engine's answer to the greeting.
    pub const fn greeting_reply(self) -> &'static str {
        match self {
            Self::Uci => "uciok",
            Self::Ugi => "ugiok",
        }
    }

    /// The protocol that an engine speaks which answers a greeting with this line, if that tells another one than the
    /// greeting was in.
    pub fn of_refusal(line: &str) -> Option<&'static str> {
        let line = line.trim();
        match line {
            "uciok" => Some("UCI, which needs proto=uci"),
            "ugiok" => Some("UGI, which needs proto=ugi"),
            // A banner may begin with a question mark, too.
            _ if line.starts_with("? unknown command") => Some("GTP"),
            _ if line.starts_with("Error (unknown command)") => Some("the protocol of XBoard"),
            _ => None,
        }
    }

    /// The command that announces a new game.
    pub const fn new_game(self) -> &'static str {
        match self {
            Self::Uci => "ucinewgame",
            Self::Ugi => "uginewgame",
        }
    }
}

/// An engine of a match, as its `--engine` and `--each` describe it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineSpec {
    /// Different from the names of all other engines.
    pub name: String,
    pub program: PathBuf,
    pub args: Vec<String>,
    /// Working directory; `None` for ours.
    pub dir: Option<PathBuf>,
    pub protocol: EngineProtocol,
    pub limits: EngineLimits,
    /// Names and values, in the order in which they are sent.
    pub options: Vec<(String, String)>,
}

impl EngineSpec {
    /// The value given for an option, its name in any case.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().rev().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The keys and values of an `--engine` that gives the same specification.
    pub fn key_values(&self) -> Vec<(String, String)> {
        let pair = |key: &str, value: String| (key.to_owned(), value);
        let mut pairs = vec![
            pair("name", self.name.clone()),
            pair("cmd", self.program.display().to_string()),
            pair("proto", self.protocol.greeting().to_owned()),
        ];
        pairs.extend(self.args.iter().map(|arg| pair("args", arg.clone())));
        pairs.extend(self.dir.iter().map(|dir| pair("dir", dir.display().to_string())));
        pairs.extend(self.limits.key_values());
        pairs.extend(self.options.iter().map(|(name, value)| (format!("option.{name}"), value.clone())));
        pairs
    }

    /// Whether there is a program to run, as far as that can be known without running it.
    ///
    /// # Errors
    /// Says what is missing.
    pub fn check(&self) -> Result<(), String> {
        if let Some(dir) = self.dir.as_deref().filter(|dir| !dir.is_dir()) {
            return Err(format!("{}: dir={}: found no such folder", self.name, quoted_path(dir)));
        }
        let named = |why: &str| Err(format!("{}: cmd={}: {why}", self.name, quoted_path(&self.program)));
        if self.program.components().count() > 1 {
            return match fs::metadata(&self.program) {
                _ if platform::is_executable(&self.program) => Ok(()),
                Err(error) => named(&format!("it can't be run: {error}")),
                Ok(_) => named("it can't be run: found no executable file"),
            };
        }
        match platform::search_path() {
            Some(dirs) if !dirs.iter().any(|dir| platform::is_executable(&dir.join(&self.program))) => {
                named("it can't be run: found no such program in PATH")
            }
            _ => Ok(()),
        }
    }
}
