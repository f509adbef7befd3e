//! GTP as a controller drives it: the built program, commands in, answers out.
//!
//! The exchanges under "GoGui" were recorded from that program, version 1.6.

use crate::data;
use crate::driver::{self, Engine, RULE_SETS, TIMEOUT, retry, run};
use std::time::{Duration, Instant};

/// A running `sundarban gtp`.
struct Gtp(Engine);

impl Gtp {
    fn start(args: &[&str]) -> Self {
        let args: Vec<&str> = std::iter::once("gtp").chain(args.iter().copied()).collect();
        Self(Engine::start_with(&args))
    }

    /// At the lowest level, so that nothing takes long.
    fn quick() -> Self {
        Self::start(&["--level", "1"])
    }

    /// Reads an answer, whole: the first line without its mark, and what follows up to the blank line.
    fn answer(&mut self) -> (char, String) {
        let mut lines = self.0.lines_until(str::is_empty);
        lines.pop();
        let first = lines.remove(0);
        let mark = first.chars().next().unwrap();
        assert!(mark == '=' || mark == '?', "{first}\n{}", self.0.tail());
        let head = first[1..].strip_prefix(' ').unwrap_or_else(|| panic!("no blank after the mark: {first}"));
        (mark, lines.iter().fold(head.to_owned(), |text, line| text + "\n" + line))
    }

    /// Sends a command that must succeed, and returns its answer.
    fn command(&mut self, command: &str) -> String {
        self.0.send(command);
        let (mark, text) = self.answer();
        assert_eq!(mark, '=', "{command}: {text}\n{}", self.0.tail());
        text
    }

    /// Sends a command that must fail, and returns why.
    fn refused(&mut self, command: &str) -> String {
        self.0.send(command);
        let (mark, text) = self.answer();
        assert_eq!(mark, '?', "{command}: {text}\n{}", self.0.tail());
        text
    }

    /// Plays clicks, each given as colour and point.
    fn play(&mut self, clicks: &str) {
        for click in clicks.split(", ") {
            assert_eq!(self.command(&format!("play {click}")), "");
        }
    }

    fn legal(&mut self) -> String {
        self.command("gogui-rules_legal_moves")
    }

    fn position(&mut self) -> String {
        self.command("sundarban-position")
    }
}

/// Four moves after which a tiger on d4 can take on c3, stop on b2, or go on over c2 to d2.
const BEFORE_CHAIN: &str = "W C2, W C3, B D3, B D4, W E4, W E5";

#[test]
fn a_program_of_gtp_2_introduces_itself() {
    let mut gtp = Gtp::quick();
    assert_eq!(gtp.command("protocol_version"), "2");
    assert_eq!(gtp.command("name"), "Sundarban");
    assert_eq!(gtp.command("version"), env!("CARGO_PKG_VERSION"));
    let listed = gtp.command("list_commands");
    for command in "protocol_version name version known_command list_commands quit boardsize clear_board komi play \
        genmove reg_genmove undo time_settings time_left showboard final_score gogui-interrupt gogui-play_sequence \
        gogui-analyze_commands gogui-rules_game_id gogui-rules_board gogui-rules_board_size gogui-rules_board_gfx \
        gogui-rules_legal_moves gogui-rules_side_to_move gogui-rules_captured_count gogui-rules_final_result"
        .split_whitespace()
    {
        assert!(listed.lines().any(|line| line == command), "{command}");
    }
    for command in listed.lines() {
        assert_eq!(gtp.command(&format!("known_command {command}")), "true");
    }
    assert_eq!(gtp.command("known_command loadsgf"), "false");
    assert_eq!(gtp.command("quit"), "");
    assert_eq!(gtp.0.exit_code_within(TIMEOUT), Some(0));
}

#[test]
fn answers_look_as_gtp_wants_them_to_the_byte() {
    let script = "1 name\n\n# a comment\n 22\tplay w  c2 # why not\r\nplay w c2\n3 nonsense\nbo\u{7}ardsize 19\n4\n\
        boardsize 5\n5 undo\n6 undo\n007 komi x\n99999999999 name\nquit\nname\n";
    let output = run(&["gtp"], script);
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "=1 Sundarban\n\n=22 \n\n? illegal move\n\n?3 unknown command\n\n? unacceptable size\n\n?4 unknown command\n\n\
        = \n\n=5 \n\n?6 cannot undo\n\n?7 syntax error\n\n? unknown command\n\n= \n\n"
    );
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}

#[test]
fn bad_arguments_are_syntax_errors_and_change_nothing() {
    let mut gtp = Gtp::quick();
    for bad in "boardsize|boardsize x|boardsize -5|boardsize 5 5|clear_board 1|komi|komi nan|play|play w|play c2 w|\
        play green C2|play w i2|play w c|play w 22|play w c2 c3|play w é2|genmove|genmove x|genmove w w|undo 1|\
        gg-undo x|gg-undo 1 1|time_settings 1 2|time_settings a b c|time_left w 1|time_left w one 0|time_left w 1e3 0|time_left x 1 0|time_settings nan 0 0|\
        known_command|gogui-rules_board 1|gogui-play_sequence w|gogui-play_sequence w c2 b|sundarban-param Hash|quit now"
        .split('|')
    {
        assert_eq!(gtp.refused(bad), "syntax error", "{bad}");
    }
    for illegal in ["play b B3", "play w B3", "play w A6", "play w F1", "play w T19", "play w pass", "play W B2"] {
        assert_eq!(gtp.refused(illegal), "illegal move", "{illegal}");
    }
    for unknown in ["loadsgf game.sgf", "PLAY w c2", "gogui-setup", "=", "?", "-1 name", "set_free_handicap C2"] {
        assert_eq!(gtp.refused(unknown), "unknown command", "{unknown}");
    }
    assert_eq!(gtp.position(), driver::START);
}

#[test]
fn nothing_hostile_ends_it() {
    let mut gtp = Gtp::quick();
    gtp.0.send_bytes(&(0..=255).filter(|byte| *byte != b'\n').collect::<Vec<u8>>());
    gtp.0.send("");
    assert_eq!(gtp.answer().0, '?');
    gtp.0.send(&"x".repeat(1 << 20));
    assert_eq!(gtp.answer(), ('?', "unknown command".to_owned()));
    gtp.0.send(&format!("play w {}", "c2 ".repeat(300_000)));
    assert_eq!(gtp.answer(), ('?', "syntax error".to_owned()));
    gtp.0.send(&"9".repeat(1 << 18));
    assert_eq!(gtp.answer(), ('?', "unknown command".to_owned()));
    assert!(gtp.refused(&"x".repeat(17 << 20)).contains("dropped"));
    for _ in 0..3 {
        gtp.command("time_settings 99999999999999999999 99999999999999999999 99999999999999999999");
        gtp.command("time_left w 99999999999999999999 99999999999999999999");
        gtp.command("genmove w");
        assert_eq!(gtp.refused("gg-undo 99999999999999999999"), "cannot undo");
        gtp.command("undo");
    }
    gtp.0.close_input();
    assert_eq!(gtp.0.exit_code_within(TIMEOUT), Some(0));
}

#[test]
fn a_reader_that_leaves_ends_it() {
    let output = run(&["gtp", "--movetime", "20"], "genmove w\ngenmove w\nshowboard");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("To move: Black") && text.ends_with("\n\n"), "{text}");
}

#[test]
fn a_chain_is_clicked_point_by_point() {
    let mut gtp = Gtp::quick();
    gtp.play(BEFORE_CHAIN);
    assert_eq!(gtp.legal(), "B3 D4");
    gtp.play("b d4");
    assert_eq!(gtp.legal(), "B2 D3 E3 B4 C5 D5");
    assert_eq!(gtp.refused("play b pass"), "illegal move");
    assert_eq!(gtp.refused("play w B2"), "illegal move");
    gtp.play("B b2");
    // The tiger has landed, the goat is gone, and it is still Black's turn.
    assert_eq!((gtp.legal().as_str(), gtp.command("gogui-rules_side_to_move").as_str()), ("D2 pass", "black"));
    assert_eq!(gtp.command("gogui-rules_board"), ". . . . O\n. . O . O\n. X . . .\n. X O . O\n. . . . .");
    assert_eq!(gtp.command("gogui-rules_captured_count"), "1 0");
    let graphics = gtp.command("gogui-rules_board_gfx");
    for line in ["LABEL B2 T B3 T C2 4 E2 5 C4 5 E4 4", "SQUARE D4 B2", "CIRCLE D2"] {
        assert!(graphics.lines().any(|found| found == line), "{line} in\n{graphics}");
    }
    assert!(gtp.command("showboard").ends_with("\nClicked: D4 B2"));
    gtp.play("b d2");
    let after = "4A/2E1D/1t3/2CtE/5 w 0 3";
    assert_eq!((gtp.position().as_str(), gtp.command("gogui-rules_side_to_move").as_str()), (after, "white"));
    assert_eq!(gtp.command("gogui-rules_captured_count"), "2 0");
    // Taken back click by click, then ended early.
    gtp.command("undo");
    assert_eq!(gtp.legal(), "D2 pass");
    gtp.play("b PASS");
    assert_eq!(gtp.position(), "4A/2E1D/1t3/1tD1E/5 w 0 3");
    gtp.command("undo");
    assert_eq!(gtp.legal(), "D2 pass");
    gtp.command("gg-undo 2");
    assert_eq!(gtp.legal(), "B3 D4");
    assert_eq!(gtp.refused("gg-undo 7"), "cannot undo");
    gtp.command("gg-undo 6");
    assert_eq!(gtp.position(), driver::START);
}

#[test]
fn where_capturing_is_obligatory_only_that_is_offered() {
    let mut gtp = Gtp::start(&["--rules", "super", "--level", "1"]);
    gtp.command("gogui-play_sequence W C2 W C3 B D3 B D4 W E4 W E5");
    // The longest capture takes three goats.
    for point in ["D4", "B4", "D2", "B2"] {
        assert_eq!(gtp.legal(), point);
        assert_eq!(gtp.refused("play B pass"), "illegal move");
        gtp.play(&format!("B {point}"));
    }
    assert_eq!(gtp.command("gogui-rules_side_to_move"), "white");
}

#[test]
fn a_chain_is_generated_as_moves_of_the_same_colour() {
    let mut gtp = Gtp::start(&["--rules", "super", "--level", "1"]);
    gtp.command("gogui-play_sequence W C2 W C3 B D3 B D4 W E4 W E5");
    assert_eq!(gtp.command("reg_genmove b"), "D4");
    for point in ["D4", "B4", "D2", "B2"] {
        assert!(gtp.refused("genmove w").contains("Black's turn"));
        assert_eq!(gtp.command("genmove b"), point);
    }
    assert!(gtp.refused("genmove b").contains("White's turn"));
    assert_eq!(gtp.command("gogui-rules_captured_count"), "3 0");
}

/// Plays a game by `genmove` alone, checking each click against those offered; returns the clicks.
fn play_itself(gtp: &mut Gtp) -> Vec<String> {
    let mut clicks = Vec::new();
    for _ in 0..2_000 {
        let legal = gtp.legal();
        if legal.is_empty() {
            assert_ne!(gtp.command("gogui-rules_final_result"), "the game is not over");
            return clicks;
        }
        let side = gtp.command("gogui-rules_side_to_move");
        let click = gtp.command(&format!("genmove {side}"));
        assert!(legal.split(' ').any(|point| point == click), "{click} of {legal}");
        clicks.push(format!("play {side} {click}"));
    }
    panic!("no end\n{}", gtp.0.tail());
}

#[test]
fn it_plays_whole_games_under_all_rules_and_they_can_be_replayed_and_undone() {
    for rules in RULE_SETS {
        let mut gtp = Gtp::start(&["--rules", rules, "--level", "2", "--draw-plies", "30"]);
        let start = gtp.position();
        let clicks = play_itself(&mut gtp);
        let (end, result) = (gtp.position(), gtp.command("gogui-rules_final_result"));
        let side = gtp.command("gogui-rules_side_to_move");
        assert_eq!(gtp.command(&format!("genmove {side}")), "pass");
        assert_eq!(gtp.refused(&format!("play {side} pass")), "illegal move");
        assert!(gtp.command("final_score").starts_with(['W', 'B', '0']));
        // As GoGui does it with a second process of the same program.
        let mut ruler = Gtp::start(&["--rules", rules, "--draw-plies", "30"]);
        for _ in 0..2 {
            ruler.command("clear_board");
            clicks.iter().for_each(|click| assert_eq!(ruler.command(click), ""));
        }
        assert_eq!((ruler.position(), ruler.command("gogui-rules_final_result")), (end, result), "{rules}");
        clicks.iter().for_each(|_| drop(ruler.command("undo")));
        assert_eq!((ruler.position(), ruler.refused("undo")), (start, "cannot undo".to_owned()));
    }
}

#[test]
fn a_level_plays_the_same_game_every_time() {
    let games = [(); 2].map(|()| play_itself(&mut Gtp::start(&["--level", "2", "--draw-plies", "20"])));
    assert_eq!(games[0], games[1]);
    let mut gtp = Gtp::start(&["--level", "2", "--draw-plies", "20"]);
    play_itself(&mut gtp);
    gtp.command("clear_board");
    assert_eq!(play_itself(&mut gtp), games[0], "after clear_board");
}

#[test]
fn the_end_of_a_scored_game_names_the_points() {
    let mut gtp = Gtp::start(&["--rules", "super"]);
    assert_eq!(gtp.refused("final_score"), "cannot score");
    let record = data::SUPER_GAME;
    let start = sundarban::position::Position::start(sundarban::rules::RuleSet::named("super").unwrap());
    let moves = sundarban::notation::record::read(&start, record.trim()).unwrap();
    for (ply, mv) in moves.iter().enumerate() {
        let colour = if ply % 2 == 0 { "white" } else { "black" };
        mv.points().for_each(|point| assert_eq!(gtp.command(&format!("play {colour} {point}")), ""));
    }
    assert_eq!(gtp.legal(), "");
    assert_eq!(gtp.command("gogui-rules_final_result"), "White wins: the tigers can't move, 12 points");
    assert_eq!(gtp.command("final_score"), "W+12");
    assert_eq!(gtp.refused("sundarban-move_values"), "the game is over");
    assert_eq!(gtp.refused("play black A1"), "illegal move");
}

#[test]
fn clocks_are_obeyed() {
    let _alone = driver::timing_lock();
    let mut gtp = Gtp::start(&[]);
    retry(|| {
        gtp.command("clear_board");
        gtp.command("time_settings 2 0 0");
        let began = Instant::now();
        for _ in 0..6 {
            let side = gtp.command("gogui-rules_side_to_move");
            gtp.command(&format!("genmove {side}"));
        }
        assert!(began.elapsed() < Duration::from_millis(3_500), "{:?}", began.elapsed());
        gtp.command("time_left w 0 0");
        gtp.command("time_left b 0 1");
        let began = Instant::now();
        let side = gtp.command("gogui-rules_side_to_move");
        gtp.command(&format!("genmove {side}"));
        assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    });
}

#[test]
fn times_may_be_fractions_and_have_run_out() {
    let mut gtp = Gtp::start(&[]);
    for command in ["time_settings 3600 0 0", "time_settings 30.5 0 0", "time_settings 0.5 0.25 1.0"] {
        assert_eq!(gtp.command(command), "");
    }
    for gone in ["-1", "-0", "-0.5", "0", "-99999999999999999999999"] {
        gtp.command("clear_board");
        gtp.command("time_settings 3600 0 0");
        assert_eq!(gtp.command(&format!("time_left w {gone} 0")), "");
        let began = Instant::now();
        gtp.command("genmove w");
        // With an hour on the clock it would be a minute.
        assert!(began.elapsed() < Duration::from_secs(10), "{gone}: {:?}", began.elapsed());
    }
    gtp.command("clear_board");
    gtp.command("time_left w 0.5 0");
    let began = Instant::now();
    gtp.command("genmove w");
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn an_interrupt_behind_thousands_of_lines_cuts_thinking_short() {
    let mut gtp = Gtp::start(&["--movetime", "600000"]);
    gtp.0.send("genmove w");
    std::thread::sleep(Duration::from_millis(300));
    gtp.0.send_bytes(("name\n".repeat(10_000) + "# interrupt\n").as_bytes());
    assert!(gtp.answer().1.len() == 2);
    (0..10_000).for_each(|_| assert_eq!(gtp.answer().1, "Sundarban"));
}

#[test]
fn an_interrupt_cuts_thinking_short() {
    let mut gtp = Gtp::start(&["--movetime", "600000"]);
    gtp.0.send("genmove w");
    let began = Instant::now();
    let first = loop {
        // One that comes before the thinking begins cuts nothing short.
        gtp.0.send("# interrupt");
        if let Some(line) = gtp.0.line_within(Duration::from_millis(300)) {
            break line;
        }
        assert!(began.elapsed() < TIMEOUT);
    };
    assert!(first.starts_with("= ") && gtp.0.line().is_empty(), "{first}");
    // When nothing runs it is a comment like any other.
    gtp.0.send("# interrupt");
    assert_eq!(gtp.command("name"), "Sundarban");
}

#[test]
fn analysis_is_drawn_on_the_board() {
    let mut gtp = Gtp::start(&["--movetime", "50"]);
    for line in gtp.command("gogui-analyze_commands").lines() {
        let parts: Vec<&str> = line.split('/').collect();
        assert!(parts.len() == 3 && ["gfx", "hstring", "string", "param"].contains(&parts[0]), "{line}");
        assert!(!gtp.command(parts[2]).is_empty(), "{line}");
    }
    gtp.play(BEFORE_CHAIN);
    let labelled = |text: &str| text.lines().filter(|line| line.starts_with("LABEL ")).count();
    // Moves for which there is no time are left out.
    retry(|| {
        assert_eq!(labelled(&gtp.command("sundarban-click_values")), 2);
        assert_eq!(gtp.command("sundarban-move_values").lines().count(), 12);
    });
    assert!(gtp.command("sundarban-threats").starts_with("MARK C3 C4\n"));
    gtp.play("B D4, B B2");
    retry(|| {
        let values = gtp.command("sundarban-click_values");
        assert_eq!((labelled(&values), values.contains(", pass ")), (1, true), "{values}");
    });
    let line = gtp.command("sundarban-best_line");
    assert!(line.starts_with("TRIANGLE D4 B2") && line.contains("\nVAR b ") && line.contains("\nTEXT "), "{line}");
}

/// Replays an exchange: lines with `> ` are sent, the others must be the answer; `= *` stands for any that succeeds.
fn replay(gtp: &mut Gtp, recorded: &str) {
    let mut lines = recorded.lines().peekable();
    while let Some(line) = lines.next() {
        let command = line.strip_prefix("> ").unwrap();
        let mut expected = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("> ")) {
            expected.push(line);
        }
        gtp.0.send(command);
        let (mark, text) = gtp.answer();
        if expected == ["= *"] {
            assert_eq!(mark, '=', "{command}: {text}");
        } else {
            assert_eq!(format!("{mark} {text}").trim_end(), expected.join("\n"), "{command}\n{}", gtp.0.tail());
        }
    }
}

#[test]
fn gogui_asks_for_the_rules() {
    // A chain clicked to its first landing, then ended by pass; GoGui plays everything anew after each click.
    replay(&mut Gtp::quick(), include_str!("../data/gogui-ruler.txt"));
}

#[test]
fn gogui_asks_for_moves_and_analysis() {
    replay(&mut Gtp::start(&["--level", "1", "--movetime", "50"]), include_str!("../data/gogui-player.txt"));
}

#[test]
fn settings_are_shown_and_changed() {
    let mut gtp = Gtp::start(&["--hash", "16", "--threads", "2", "--level", "3"]);
    let shown = gtp.command("sundarban-param");
    for line in ["Level 3", "Hash 16", "Threads 2", "Milliseconds_per_move default"] {
        assert!(shown.lines().any(|found| found.ends_with(&format!("] {line}"))), "{line} in\n{shown}");
    }
    for (name, value) in [("Level", "by_time"), ("Milliseconds_per_move", "30"), ("move_overhead", "5"), ("hash", "8")]
    {
        assert_eq!(gtp.command(&format!("sundarban-param {name} {value}")), "");
        let shown = gtp.command("sundarban-param").to_lowercase();
        assert!(shown.contains(&format!("] {} {value}\n", name.to_lowercase())) || shown.ends_with(value), "{shown}");
    }
    for bad in ["Hash 0", "Level 11", "Level 0", "Threads many", "Nonsense 1"] {
        gtp.refused(&format!("sundarban-param {bad}"));
    }
}
