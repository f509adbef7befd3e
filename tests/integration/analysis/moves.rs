//! `moves` and `eval`.

use crate::data;
use crate::driver::output;
use crate::reader::json;
use crate::reader::json::Value;

#[test]
fn the_legal_moves_are_those_of_the_cases() {
    let cases = data::POSITIONS;
    let cases: Vec<&str> = cases.lines().filter(|line| !line.starts_with('#')).collect();
    let found = output(&["moves"], &cases.join("\n"));
    assert_eq!(found.lines().count(), cases.len());
    for (case, found) in cases.iter().zip(found.lines()) {
        assert_eq!(case.split('\t').nth(2), Some(found), "{case}");
    }
}

#[test]
fn moves_come_with_their_results() {
    let text = output(&["moves", "--results", "--fen", "super 1. e5"], "");
    assert!(text.contains("b3b4\tb4\t4A/1tE1D/3t1/2E1E/5 w 1 2\n"), "{text}");
    let text = output(&["moves", "--format", "json"], "super 1. e5\nt4/5/5/5/4t w\n");
    let values: Vec<Value> = text.lines().map(|line| json::read(line).unwrap()).collect();
    assert_eq!(values[0].at("position").text(), "4A/2E1D/1t1t1/2E1E/5 b 0 1");
    assert!(
        values[0].at("moves").list().iter().any(|mv| mv.at("move").text() == "b3b4" && mv.at("record").text() == "b4")
    );
    assert_eq!(
        (values[1].at("over").text(), values[1].at("line").number()),
        ("Black wins: too few goats are left", 2.0)
    );
}

#[test]
fn the_evaluation_is_that_of_the_session() {
    let position = "4A/1tE1C/3tA/2E1E/5 b 0 2";
    let session = output(&[], &format!("position fen {position}\neval\n"));
    let text = output(&["eval", "--fen", position], "");
    let (head, terms) = text.split_once('\n').unwrap();
    assert_eq!(head, format!("baghbandi {position}"));
    assert_eq!(terms.trim_end(), session.trim_end());
    let both = output(&["eval"], &format!("{position}\n{position}\n"));
    assert_eq!(both, format!("{text}\n{text}"));
    let value = json::read(&output(&["eval", "--format", "json", "--fen", position], "")).unwrap();
    let shown = format!("{:+.2}", value.at("evaluation").number() / 100.0);
    assert!(terms.contains(&shown), "{shown} {terms}");
}
