//! `suite`: its scores, its errors, its options.

use super::lines;
use crate::data;
use crate::driver::{START, output, run};
use crate::reader::json::{self, Value};

/// Black is shut in by c1b2; of the others none does it.
const MATE: &str = "super\t1AA2/AA1A1/AtAA1/t1AA1/AAA1A w 55 44";

#[test]
fn scores_are_those_of_the_moves_that_analyze_plays() {
    let path = data::path("values.tsv");
    let path = path.to_str().unwrap();
    let input: String = data::rows(data::VALUES).take(120).map(|row| row.join("\t") + "\n").collect();
    let analysed = output(&["analyze", "--nodes", "300"], &input);
    let is_solved = |(line, row): (&str, Vec<&str>)| {
        let best = line.split(" best ").nth(1).unwrap().split(' ').next().unwrap();
        row[2].split(' ').any(|mv| mv == best)
    };
    let solved = analysed.lines().zip(data::rows(data::VALUES)).filter(|pair| is_solved(pair.clone())).count();
    assert!((60..120).contains(&solved), "{solved}");
    for jobs in ["1", "3"] {
        let text = output(&["suite", "--depth", "1", "--nodes", "300", "--misses", "1000", "--jobs", jobs], &input);
        let (depth, nodes) = text.split_once("\nnodes 300: ").unwrap();
        assert!(nodes.starts_with(&format!("{solved} of 120 (")), "{text}");
        assert_eq!(nodes.matches(" played ").count(), 120 - solved, "{text}");
        assert!(depth.starts_with("120 positions\nstatic evaluation: ") && depth.contains("\ndepth 1: "), "{text}");
    }
    // A file and standard input give the same, but for the name; without misses none are listed.
    let whole = output(&["suite", path, "--depth", "1", "--misses", "0"], "");
    assert!(whole.starts_with("2000 positions\n") && whole.lines().count() == 4, "{whole}");
}

#[test]
fn what_was_missed_is_listed_with_what_was_right() {
    let input = format!("{MATE} bm b5a5; id \"no mate\";\n{MATE} am c1b2;\n{MATE} bm c1b2;\n{MATE}\tL\t-\n");
    let found = output(&["suite", "--depth", "3", "--misses", "1"], &input);
    let found = lines(found.as_bytes());
    assert_eq!(found[0], "4 positions");
    assert!(found[1].starts_with("static evaluation: 0 of 1 (0.00 %) with the right value"), "{found:?}");
    assert!(found[2].starts_with("static evaluation: 1 of 1 (100.00 %) told apart"), "{found:?}");
    assert_eq!(found[3], "depth 3: 1 of 3 (33.33 %) solved");
    let position = MATE.split('\t').nth(1).unwrap();
    assert_eq!(found[4], format!("  -:1: super {position} played c1b2 best b5a5 id no mate"));
    assert_eq!((found[5].as_str(), found.len()), ("  and 1 more that --misses would list", 6));
}

#[test]
fn json_has_the_same_scores() {
    let input = format!("{MATE}\tW\tc1b2\n{START}\tD\te4e5\t14\n{MATE} am c1b2; id \"x\";\n");
    let found = output(&["suite", "--depth", "1,2", "--nodes", "50", "--format", "json"], &input);
    let found: Vec<Value> = found.lines().map(|line| json::read(line).unwrap()).collect();
    let limits: Vec<(&str, &Value)> = found.iter().map(|line| (line.at("limit").text(), line.at("number"))).collect();
    let number = |number| Value::Number(number);
    assert_eq!(
        limits,
        [("static", &Value::Null), ("depth", &number(1.0)), ("depth", &number(2.0)), ("nodes", &number(50.0))]
    );
    assert_eq!((found[0].at("positions").number(), found[0].at("divided").number()), (2.0, 2.0));
    let groups = found[1].at("groups").list();
    let named: Vec<(&str, &Value)> = groups.iter().map(|group| (group.at("rules").text(), group.at("value"))).collect();
    let text = |text: &str| Value::Text(text.to_owned());
    assert_eq!(named, [("baghbandi", &text("draw")), ("super", &Value::Null), ("super", &text("win"))]);
    let right: f64 = groups.iter().map(|group| group.at("right").number()).sum();
    assert_eq!(right, found[1].at("right").number());
    let misses = found[1].at("misses").list();
    let avoided = misses.iter().find(|miss| *miss.at("id") == text("x")).unwrap();
    assert_eq!((avoided.at("played"), avoided.at("line").number()), (&text("c1b2"), 3.0));
    assert_eq!(avoided.at("avoid").list(), [text("c1b2")]);
}

#[test]
fn what_is_no_test_is_reported_and_the_rest_goes_on() {
    let input = format!("{START}\n{START}\tW\ta1a2\n{MATE}\tW\tc1b2\nx\n");
    let found = run(&["suite", "--depth", "1"], &input);
    assert_eq!(found.status.code(), Some(1));
    assert!(lines(&found.stdout).contains(&"depth 1: 1 of 1 (100.00 %) solved".to_owned()));
    let errors = lines(&found.stderr);
    assert!(errors[0].starts_with("-:1: found no best moves and no value, expected "), "{errors:?}");
    assert!(errors[1].starts_with("-:2: found 'a1a2' (White has no piece on a1), expected "), "{errors:?}");
    assert!(errors[2].starts_with("-:4:1: found 'x'"), "{errors:?}");
    assert_eq!(errors[3], "error: 3 of 4 inputs can't be read");
    let nothing = run(&["suite"], "");
    assert_eq!(nothing.status.code(), Some(1));
    assert_eq!(lines(&nothing.stderr), ["error: found no position, expected at least one"]);
    for words in [&["--depth", "0"][..], &["--nodes", "100,"], &["--nodes", "1,x"], &["--misses", "-1"]] {
        let found = run(&[&["suite"], words].concat(), "");
        assert_eq!((found.status.code(), found.stdout.len()), (Some(2), 0), "{words:?}");
    }
}
