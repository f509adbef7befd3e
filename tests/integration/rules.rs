//! The engine's rules against a plain reference written from the rules' text, and against data from elsewhere.

use crate::data::{self, rows};
use crate::reference::{self, State};
use std::sync::atomic::AtomicBool;
use sundarban::board::{JUMPS, Point, PointSet};
use sundarban::notation::fen::{self, Fen};
use sundarban::notation::{coordinates, record};
use sundarban::position::perft::Perft;
use sundarban::position::{Ending, Position, Setup};
use sundarban::rules::{RuleSet, Side};

/// SplitMix64, so that every run plays the same games.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ mixed >> 31) % bound as u64) as usize
    }
}

fn rules(name: &str) -> &'static RuleSet {
    RuleSet::named(name).unwrap()
}

fn perft(position: &Position, depth: u32) -> u64 {
    let never = AtomicBool::new(false);
    Perft::new(0, &never).unwrap().count(position, depth).unwrap()
}

fn sorted_moves(position: &Position) -> Vec<String> {
    let mut moves: Vec<String> = position.legal_moves().iter().map(ToString::to_string).collect();
    moves.sort();
    moves
}

/// Everything that must hold of a position, whatever led to it.
fn check(position: &Position, plain: &State) {
    assert_eq!(Fen(position).to_string(), plain.to_fen());
    assert_eq!(position.key(), position.computed_key(), "{position:?}");
    assert_eq!(position.goats_alive(), plain.goats());
    assert_eq!(sorted_moves(position), plain.legal_moves(), "{position:?}");
    assert_eq!(position.count_moves() as usize, plain.legal_moves().len(), "{position:?}");
    let ending = position.ending().map(Ending::winner);
    let plain_ending = plain.over().map(|result| match result {
        reference::Result::WhiteWins => Side::White,
        reference::Result::BlackWins => Side::Black,
    });
    assert_eq!(ending, plain_ending, "{position:?}");
    assert_eq!(fen::parse(position.rules(), &plain.to_fen()).as_ref(), Ok(position));
    if position.side() == Side::White && ending.is_none() {
        assert!(position.count_moves() > 0, "goats always have a move: {position:?}");
    }
}

#[test]
fn random_games_are_played_as_the_reference_plays_them() {
    let mut random = Random(2);
    for rules in RuleSet::all() {
        for _ in 0..40 {
            let (mut position, mut plain) = (Position::start(rules), State::start(rules.name));
            for _ in 0..120 {
                check(&position, &plain);
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let mv = moves[random.below(moves.len())];
                let word = record::move_text(&position, mv);
                assert_eq!(word, plain.record_text(&mv.to_string()));
                assert_eq!(record::parse_move(&position, &word), Ok(mv));
                assert_eq!(coordinates::parse(&position, &mv.to_string()), Ok(mv));
                plain = plain.play(&mv.to_string());
                position = position.play(mv);
            }
        }
    }
}

/// A random position with herds wherever they may be.
fn random_position(rules: &'static RuleSet, random: &mut Random) -> Position {
    let points: Vec<Point> = Point::all().collect();
    loop {
        let tigers: PointSet = [points[random.below(25)], points[random.below(25)]].into_iter().collect();
        let mut setup = Setup { goats: [0; 25], tigers, side: Side::Black, quiet: 0, number: 1 };
        let density = 1 + random.below(6);
        for (index, height) in setup.goats.iter_mut().enumerate() {
            if !tigers.has(points[index]) && random.below(6) < density {
                let is_herd = rules.start.herd_points().has(points[index]);
                *height = if is_herd { 1 + random.below(5) as u32 } else { 1 };
            }
        }
        if random.below(2) == 0 {
            setup.side = Side::White;
        }
        if let Ok(position) = Position::new(rules, &setup) {
            return position;
        }
    }
}

#[test]
fn random_positions_have_the_moves_of_the_reference() {
    let mut random = Random(3);
    for rules in RuleSet::all() {
        for _ in 0..2_000 {
            let position = random_position(rules, &mut random);
            let plain = State::from_fen(rules.name, &Fen(&position).to_string());
            check(&position, &plain);
        }
    }
}

#[test]
fn perft_agrees_with_the_file() {
    for row in rows(data::PERFT) {
        let start = Position::start(rules(row[0]));
        for (depth, count) in row[1..].iter().enumerate() {
            assert_eq!(perft(&start, depth as u32 + 1), count.parse().unwrap(), "{} {}", row[0], depth + 1);
        }
    }
}

#[test]
fn a_table_changes_no_perft() {
    let never = AtomicBool::new(false);
    for rules in RuleSet::all() {
        let start = Position::start(rules);
        for megabytes in [1, 16] {
            let mut hashed = Perft::new(megabytes, &never).unwrap();
            assert_eq!(hashed.count(&start, 6), Some(perft(&start, 6)), "{}", rules.name);
        }
    }
}

#[test]
fn the_positions_of_the_file_have_its_moves() {
    let mut count = 0;
    for row in rows(data::POSITIONS) {
        let position = fen::parse(rules(row[0]), row[1]).unwrap();
        let moves = sorted_moves(&position);
        let expected: Vec<&str> = row[2].split(' ').filter(|word| *word != "(none)").collect();
        assert_eq!(moves, expected, "{} {}", row[0], row[1]);
        assert_eq!(perft(&position, 2), row[3].parse().unwrap(), "{} {}", row[0], row[1]);
        assert_eq!(perft(&position, 3), row[4].parse().unwrap(), "{} {}", row[0], row[1]);
        count += 1;
    }
    assert_eq!(count, 383);
}

#[test]
fn the_openings_lead_where_the_file_says() {
    for row in rows(data::OPENINGS) {
        let mut position = Position::start(rules("baghbandi"));
        for word in row[1].split(' ') {
            position = position.play(coordinates::parse(&position, word).unwrap());
        }
        let text = Fen(&position).to_string();
        assert!(text.starts_with(row[0]), "{text} {}", row[0]);
    }
}

#[test]
fn the_example_game_has_these_first_moves_and_replies() {
    let start = Position::start(rules("baghbandi"));
    let words = |position: &Position| {
        let mut words: Vec<String> = position.legal_moves().iter().map(|mv| record::move_text(position, *mv)).collect();
        words.sort();
        words.join(" ")
    };
    // As the game's first description lists them, but for its first "c4", which must be b4.
    assert_eq!(words(&start), "b2 b4 c1 c2-c3 c2-d2 c4-c3 c4-d4 c5 e1 e2-d2 e2-e3 e4-d4 e4-e3 e5");
    let after = start.play(coordinates::parse(&start, "c2b2").unwrap());
    assert_eq!(words(&after), "a3 b3-c3 b3xb1 b4 d2 d3-c3 d4 e3");
}

#[test]
fn a_chain_of_nine_jumps_is_one_move() {
    // Every point that the chain jumps over, and nothing else.
    let mut goats = PointSet::EMPTY;
    let chain = "e5c5a5c3e3c1c3c5e3e5";
    let names: Vec<&[u8]> = chain.as_bytes().chunks(2).collect();
    let points: Vec<Point> = names.iter().map(|name| Point::from_name(name[0], name[1]).unwrap()).collect();
    for pair in points.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        goats = goats.with(Point::at((from.file() + to.file()) / 2, (from.rank() + to.rank()) / 2).unwrap());
    }
    let mut setup = Setup {
        goats: [0; 25],
        tigers: [points[0], Point::from_name(b'a', b'1').unwrap()].into_iter().collect(),
        side: Side::Black,
        quiet: 0,
        number: 1,
    };
    goats.into_iter().for_each(|point| setup.goats[point.index()] = 1);
    let position = Position::new(rules("baghbandi"), &setup).unwrap();
    let mv = coordinates::parse(&position, chain).unwrap();
    assert_eq!((mv.jumps(), mv.to_string().as_str()), (9, chain));
    assert_eq!(position.play(mv).goats_alive(), position.goats_alive() - 9);
}

#[test]
fn positions_with_hundreds_of_moves_are_complete() {
    let text = "5/AAAAA/1AtA1/AAAAA/t4 b";
    let position = fen::parse(rules("wikipedia-multi"), text).unwrap();
    assert_eq!(sorted_moves(&position), State::from_fen("wikipedia-multi", text).legal_moves());
    assert_eq!(position.legal_moves().len(), 2_051);
}

/// Every pair of points.
fn pairs() -> impl Iterator<Item = PointSet> {
    Point::all().flat_map(|one| Point::all().filter(move |other| one < *other).map(move |other| one.set().with(other)))
}

#[test]
fn two_tigers_never_wall_the_goats_off() {
    // The board stays connected without any two points, so some goat has a free neighbour as long as there is a goat
    // and a free point.
    for tigers in pairs() {
        let rest = !tigers;
        let mut reached = rest.into_iter().next().unwrap().set();
        for _ in 0..25 {
            reached = reached | (reached.neighbours() & rest);
        }
        assert_eq!(reached, rest, "{tigers:?}");
    }
    assert_eq!(pairs().count(), 300);
}

#[test]
fn fewer_than_seven_goats_never_immobilise() {
    // A tiger is stuck only if all its neighbours are taken, and all landings behind those with goats.
    let needed = pairs().map(|tigers| {
        let near = tigers.neighbours() - tigers;
        let behind: PointSet = tigers
            .into_iter()
            .flat_map(|tiger| JUMPS[tiger].iter())
            .filter(|jump| near.has(jump.over))
            .map(|jump| jump.to)
            .collect();
        (near | (behind - tigers)).len()
    });
    assert_eq!(needed.min(), Some(sundarban::rules::GOATS_TO_IMMOBILISE));
}
