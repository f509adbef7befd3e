//! `train` makes a network out of samples; `suite --reliability` holds the chances against the truth.

use crate::driver::{empty_folder, output, run, stderr};
use std::fs;
use std::path::{Path, PathBuf};
use sundarban::eval::network::networks;

/// A folder with tables of a few goats and a file of samples of them.
fn samples(name: &str, rules: &str) -> PathBuf {
    let folder = empty_folder(&format!("training-{name}"));
    let (dir, labels) = (folder.join("tables"), folder.join(format!("{rules}.bin")));
    let build = ["tables", "build", "--rules", rules, "--max-goats", "2", "--herds", "1", "--values-only", "--dir"];
    assert!(run(&[&build[..], &[dir.to_str().unwrap()]].concat(), "").status.success());
    let draw = ["tables", "sample", "--rules", rules, "--count", "20000", "--format", "binary", "--dir"];
    assert!(
        run(&[&draw[..], &[dir.to_str().unwrap(), "--output", labels.to_str().unwrap()]].concat(), "").status.success()
    );
    folder
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

#[test]
fn the_same_bytes_come_of_any_number_of_threads_and_other_networks_stay() {
    let folder = samples("bytes", "baghbandi");
    let labels = path(&folder, "baghbandi.bin");
    let train = |name: &str, more: &[&str]| {
        let to = path(&folder, name);
        let words = ["train", "--samples", &labels, "--positions", "60000", "--batch", "1024", "--output", &to];
        let ran = run(&[&words[..], more].concat(), "");
        assert!(ran.status.success(), "{}", stderr(&ran));
        (fs::read(to).unwrap(), stderr(&ran))
    };
    let (one, told) = train("one", &["--check", &labels]);
    assert_eq!(train("two", &["--threads", "2"]).0, one);
    assert_ne!(train("other", &["--seed", "2"]).0, one);
    // Positions of two goats are nearly all Black's wins; a network that has learned nothing is right about a third.
    let last = told.lines().last().unwrap();
    let share: f64 = last.split_whitespace().nth(2).unwrap().parse().unwrap();
    assert!(last.starts_with("right about") && share > 80.0, "{told}");
    let names = |bytes: &[u8]| networks(bytes).unwrap().iter().map(|network| network.name()).collect::<Vec<_>>();
    assert_eq!(names(&one), ["baghbandi"]);
    // Another rule set's network is put beside it, beginning with its weights.
    let supers = samples("beside", "super");
    let to = path(&folder, "one");
    let begin = ["train", "--samples", &path(&supers, "super.bin"), "--positions", "1000", "--output", &to];
    assert!(run(&[&begin[..], &["--from", &to, "--from-name", "baghbandi"]].concat(), "").status.success());
    let both = fs::read(&to).unwrap();
    assert_eq!(names(&both), ["baghbandi", "moderno"]);
    assert!(both.starts_with(&one));
}

#[test]
fn what_can_not_be_trained_on_is_named() {
    let folder = samples("faults", "baghbandi");
    let other = samples("faults-other", "super");
    let labels = path(&folder, "baghbandi.bin");
    let mut damaged = fs::read(&labels).unwrap();
    // In a record the number of its class: a draw becomes Black's win, or the other way round.
    damaged[40 + 8 * 1_000 + 6] ^= 1;
    fs::write(folder.join("damaged.bin"), &damaged).unwrap();
    fs::write(folder.join("no.net"), b"SundNet").unwrap();
    let (to, damaged, supers) = (path(&folder, "net"), path(&folder, "damaged.bin"), path(&other, "super.bin"));
    let (no_net, missing) = (path(&folder, "no.net"), path(&folder, "missing"));
    for (words, fault, code) in [
        (vec!["--samples", &damaged], "damaged: the number of records or their checksum", 1),
        (vec!["--samples", &labels, "--samples", &supers], "found samples of super, expected ones of baghbandi", 1),
        (vec!["--samples", &missing], "missing", 1),
        (vec!["--samples", &labels, "--from", &no_net], "the beginning is not that of a network", 1),
        (vec!["--samples", &labels, "--rate", "2"], "expected a number above 0, at most 1", 2),
        (vec!["--samples", &labels, "--batch", "0"], "--batch", 2),
    ] {
        let ran = run(&[&["train", "--positions", "1", "--output", &to], &words[..]].concat(), "");
        assert_eq!(ran.status.code(), Some(code), "{words:?}");
        assert!(stderr(&ran).contains(fault), "{words:?}: {}", stderr(&ran));
        assert!(!Path::new(&to).exists(), "{words:?}");
    }
    // An output that is no file of networks stays as it was.
    let ran = run(&["train", "--samples", &labels, "--positions", "1", "--output", &no_net], "");
    assert_eq!((ran.status.code(), fs::read(&no_net).unwrap()), (Some(1), b"SundNet".to_vec()));
}

#[test]
fn reliability_is_shown_by_tenths() {
    let lines = "5/5/2t2/1A3/4t b\tW\n1AA2/AA1A1/AtAA1/t1AA1/AAA1A w\tW\tc1b2\n";
    let text = output(&["suite", "--depth", "3", "--misses", "0", "--reliability"], lines);
    assert!(text.contains("  said 100.0 %, came true 100.0 % of 1\n"), "{text}");
    let json = output(&["suite", "--depth", "3", "--reliability", "--format", "json"], lines);
    assert_eq!(json.matches("\"reliability\":").count(), 2, "{json}");
    assert_eq!(json.matches("\"statements\":").count(), 20, "{json}");
}
