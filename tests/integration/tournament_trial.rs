//! `sundarban match`: engines that are not ready to play are found before the first game.

use crate::driver::{PROGRAM, has_shell, make_executable, stderr, stdout};
use crate::tournament::{UCIOK, folder, good_against, play, records, script, two};
use std::fs;

#[test]
fn an_engine_that_is_not_there_ends_the_match_before_it_begins() {
    let folder = folder("not-there");
    fs::write(folder.join("plain"), "no program").unwrap();
    fs::write(folder.join("broken"), "#!/no/such/interpreter\n").unwrap();
    make_executable(&folder.join("broken"));
    let broken = ("cmd=./broken", "broken': it can't be run: No such file");
    for (engine, reason) in [
        ("cmd=/no/such/engine", "error: x: cmd='/no/such/engine': it can't be run: "),
        ("cmd=no-such-engine", "error: x: cmd='no-such-engine': it can't be run: found no such program in PATH"),
        ("cmd=./plain", "it can't be run: found no executable file"),
        (&format!("cmd={PROGRAM} dir=none"), "error: x: dir='none': found no such folder"),
    ]
    .into_iter()
    .chain(has_shell().then_some(broken))
    {
        let words = format!(
            "--engine {engine} name=x --engine cmd={PROGRAM} --each depth=1 --rounds 1 --record games --resume journal"
        );
        let output = play(&folder, &words);
        assert!(output.status.code() == Some(1) && stderr(&output).contains(reason), "{engine}: {}", stderr(&output));
        assert!(!(folder.join("games").exists() || folder.join("journal").exists()), "{engine}");
    }
}

#[test]
fn an_engine_that_is_not_ready_ends_the_match_before_it_begins() {
    let folder = folder("not-ready");
    let speaks_gtp = format!("--engine cmd='{PROGRAM} gtp' name=g --engine cmd={PROGRAM} name=b --each depth=1");
    fs::write(folder.join("gtp"), speaks_gtp).unwrap();
    let mut cases = vec![
        (
            two("depth=1", "depth=1 option.Hahs=1 option.Threads=0"),
            "error: b: option.Hahs: found no option of this name, expected one of 'Hash', 'Threads', ",
            "; option.Threads: found '0', expected a number from 1 to 256\n",
        ),
        (
            "--config gtp".to_owned(),
            "error: g: failed to start: garbage: found '? unknown command' in answer to 'uci', expected 'uciok'",
            ": it speaks GTP\n",
        ),
    ];
    if has_shell() {
        let mute = script(&folder, "mute", "sleep 1000", UCIOK, "");
        cases.push((
            good_against(&mute, "depth=1 --patience 0.5"),
            "error: bad: failed to start: no answer: found none in 0.5 s, expected 'uciok'",
            "\n",
        ));
        let never = script(&folder, "never", "", "echo uciok; sleep 1000", "");
        cases.push((
            good_against(&never, "depth=1 --patience 0.5"),
            "error: bad: failed to start: no answer: found none in 0.5 s, expected 'readyok'",
            "\n",
        ));
    }
    for (words, begins, ends) in cases {
        let output = play(&folder, &(words + " --rounds 1 --record games --json json --resume journal"));
        let error = stderr(&output);
        assert!(error.starts_with(begins) && error.ends_with(ends) && error.lines().count() == 1, "{error}");
        assert_eq!((output.status.code(), stdout(&output)), (Some(1), String::new()), "{error}");
        assert!(["games", "json", "journal"].iter().all(|file| !folder.join(file).exists()), "{error}");
    }
}

#[test]
fn a_lenient_match_warns_once_of_each_option_and_goes_on() {
    let folder = folder("refused-option");
    let words = two("depth=1 option.Threads=0", "depth=1 option.Nonsense=1")
        + "--rounds 2 --concurrency 2 --lenient --pgn games";
    let output = play(&folder, &words);
    let error = stderr(&output);
    assert!(output.status.success(), "{error}");
    assert_eq!(records(&folder.join("games")).len(), 4);
    assert_eq!(error.matches("warning: a: it answers its options with 'info string").count(), 1, "{error}");
    assert_eq!(error.matches("warning: a: option.Threads: found '0', expected").count(), 1, "{error}");
    assert_eq!(error.matches("warning: b: option.Nonsense: found no option of this name").count(), 1, "{error}");
}
