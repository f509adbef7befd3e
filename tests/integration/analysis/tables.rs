//! `analyze` with solved tables.

use super::{folder, lines, records};
use crate::driver::{Tables, run};
use crate::reader::json::Value;

#[test]
fn solved_tables_make_values_exact() {
    let folder = folder("tables");
    let dir = folder.to_str().unwrap();
    let words = ["tables", "build", "--max-goats", "2", "--herds", "0", "--dir", dir];
    assert!(run(&words, "").status.success());
    // Two goats against tigers far away: Black wins, but not at once. The second has too many goats for these tables.
    let input = "A4/5/4A/5/t1t2 w\nstartpos\nsuper A4/5/4A/5/t1t2 w\n";
    let (with, code) = records(&["--depth", "1", "--tables", dir], input);
    let (without, _) = records(&["--depth", "1"], input);
    let exact = |records: &[Value]| records.iter().map(|record| record.at("exact").clone()).collect::<Vec<_>>();
    assert_eq!(code, Some(0));
    // So few goats are in the program's own table as well.
    for records in [&with, &without] {
        assert_eq!(exact(records), [true, false, true].map(Value::Bool));
        assert_eq!((records[0].at("value").text(), records[0].at("result").text()), ("-M46", "loss"));
    }
    // In a list of lines all moves have their exact values.
    let (lines, _) = records(&["--depth", "1", "--tables", dir, "--multipv", "500"], "A4/5/4A/5/t1t2 b\n");
    assert_eq!((lines[0].at("value").text(), lines.len()), ("+M41", 8));
    assert!(lines.iter().all(|line| line.at("result").text() == "win" && *line.at("exact") == Value::Bool(true)));
}

#[test]
fn few_goats_are_exact_without_any_folder() {
    // Five goats and no herd are in the program's own table; six are not, nor is a herd, nor what ends before.
    let input = "AAA2/AA3/5/5/t1t2 b\nAAA2/AA3/A4/5/t1t2 b\n5/2B1A/1t1t1/5/5 w\nsuper 5/5/2t2/1A3/4t b\n\
        moderno AA3/A4/4A/5/t1t2 w\nbaghguti A4/5/4A/5/t1t2 w\nbaghguti-murray A4/5/4A/5/t1t2 b\n";
    let (found, code) = records(&["--depth", "1"], input);
    assert_eq!((code, found.len()), (Some(0), 7));
    let (first, rest) = found.split_at(3);
    let exact: Vec<Value> = first.iter().map(|record| record.at("exact").clone()).collect();
    assert_eq!(exact[..2], [Value::Bool(true), Value::Bool(false)], "{first:#?}");
    assert_eq!(exact[2], Value::Bool(false), "{first:#?}");
    assert!(rest.iter().all(|record| *record.at("exact") == Value::Bool(true)), "{rest:#?}");
    assert_eq!((rest[0].at("value").text(), rest[2].at("value").text()), ("+M1", "-M46"));
}

#[test]
fn tables_are_believed_as_far_as_the_count_of_quiet_plies_lets_them() {
    let (whole, values) = (Tables::with_distances(3).folder(), Tables::values_only(3).folder());
    let dir = whole.to_str().unwrap();
    let input = "5/2A1A/1t1t1/2A2/5 w 298 5\n5/2A1A/1t1t1/2A2/5 w 0 5\n";
    let results = |draw_plies: &str, dir: &str| {
        let (found, code) = records(&["--depth", "4", "--tables", dir, "--draw-plies", draw_plies], input);
        assert_eq!(code, Some(0));
        found.iter().map(|record| (record.at("result").clone(), record.at("exact").clone())).collect::<Vec<_>>()
    };
    let (open, lost) = ((Value::Null, Value::Bool(false)), (Value::Text("loss".to_owned()), Value::Bool(true)));
    assert_eq!(results("300", dir), [open.clone(), lost.clone()]);
    assert_eq!(results("0", dir), [lost.clone(), lost.clone()]);
    // Without distances nothing is known of the time that it takes: believed in the first half of the plies to the draw.
    let dir = values.to_str().unwrap();
    assert_eq!(results("300", dir), [open, lost.clone()]);
    assert_eq!(results("0", dir), [lost.clone(), lost]);
}

#[test]
fn values_without_distances_are_exact() {
    let (whole, values) = (Tables::with_distances(3).folder(), Tables::values_only(3).folder());
    let (whole, values) = (whole.to_str().unwrap(), values.to_str().unwrap());
    // Of positions without a herd the program has the distances in any case.
    let random = run(&["random", "--count", "1500", "--goats", "3", "--herds", "1", "--seed", "11"], "");
    let positions = String::from_utf8(random.stdout).unwrap();
    let analysed = |dir: &str, lines: &str| {
        let (found, code) = records(&["--depth", "2", "--tables", dir, "--multipv", lines], &positions);
        assert_eq!(code, Some(0));
        assert!(found.iter().all(|record| *record.at("exact") == Value::Bool(true)), "{found:#?}");
        // A list of lines may be in another order, and name another of two moves with the same result.
        let mut found: Vec<String> = found
            .iter()
            .map(|record| {
                let best = if lines == "1" { "" } else { record.at("best").text() };
                format!("{} {best} {}", record.at("position").text(), record.at("result").text())
            })
            .collect();
        found.sort();
        found
    };
    let results = analysed(values, "1");
    assert_eq!(results, analysed(whole, "1"));
    for result in ["win", "draw", "loss"] {
        assert!(results.iter().filter(|line| line.ends_with(result)).count() > 3, "{result}: {results:#?}");
    }
    // Of a list each line has the value of its own first move.
    assert_eq!(analysed(values, "500"), analysed(whole, "500"));
    // And so in annotations, where a win whose length was not seen has none.
    let annotated = |dir| {
        let args = ["annotate", "--depth", "1", "--tables", dir, "--fen", "5/2B1A/1t1t1/5/5 w moves e4e3 b3b2"];
        let output = run(&args, "");
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(annotated(values).contains("-win"), "{}", annotated(values));
    assert!(annotated(whole).contains("-M"), "{}", annotated(whole));
}

#[test]
fn rules_without_tables_are_searched_with_one_warning() {
    let folder = folder("mixed");
    let dir = folder.to_str().unwrap();
    assert!(run(&["tables", "build", "--max-goats", "1", "--herds", "0", "--dir", dir], "").status.success());
    let input = "super startpos\nstartpos\nmoderno startpos\n".repeat(20);
    let output = run(&["analyze", "--depth", "1", "--jobs", "3", "--tables", dir], input);
    assert_eq!((lines(&output.stdout).len(), output.status.code()), (60, Some(0)));
    let warnings = lines(&output.stderr);
    for rules in ["super", "moderno"] {
        let warning = format!(": no tables of {rules}; searched without");
        assert_eq!(warnings.iter().filter(|line| line.ends_with(&warning)).count(), 1, "{warnings:?}");
    }
    assert_eq!(warnings.len(), 2, "{warnings:?}");
}
