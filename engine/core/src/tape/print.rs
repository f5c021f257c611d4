//! Tapes as text, one op a line, for `situ emit tape` and snapshots.

use std::fmt::Write as _;

use super::{Code, Op, Shape, Tape};

/// The tape as text. `name` gives the caller's slots a name; slots without one are `r12`, numbers
/// print as themselves, bits are `b3`, tests show the bits they need.
pub fn print(tape: &Tape, name: impl Fn(u32) -> Option<String>) -> String {
    let mut slots: Vec<Option<String>> = (0..tape.n_slots).map(&name).collect();
    for (slot, value) in &tape.numbers {
        slots[slot.index()].get_or_insert_with(|| format!("{value}"));
    }
    let slot = |index: u32| match &slots[index as usize] {
        Some(text) => text.clone(),
        None => format!("r{index}"),
    };
    let mut text = String::new();
    let mut section = |title: &str, ops: &[Op]| {
        if ops.is_empty() {
            return;
        }
        let _ = writeln!(text, "{title}");
        for (index, op) in ops.iter().enumerate() {
            let Op { code, out, a, b } = *op;
            let code_name = code.name();
            let line = match code.shape() {
                Shape::Unary => format!("{} = {code_name} {}", slot(out), slot(a)),
                Shape::Binary => format!("{} = {code_name} {} {}", slot(out), slot(a), slot(b)),
                Shape::Update => {
                    format!(
                        "{} = {code_name} {} {} {}",
                        slot(out),
                        slot(out),
                        slot(a),
                        slot(b)
                    )
                }
                Shape::Compare => format!("b{out} = {code_name} {} {}", slot(a), slot(b)),
                Shape::Test => format!("b{out} = {code_name} {}", test_text(tape, a)),
                Shape::Rise => format!("b{out} = {code_name} {} was b{b}", test_text(tape, a)),
                Shape::Bit => format!("b{out} = {code_name}"),
                Shape::Jump => format!("{code_name} {} to {out}", test_text(tape, a)),
                Shape::Push if code == Code::Solve => {
                    format!("{} = {code_name} equations {b} from {}", slot(out), slot(a))
                }
                Shape::Push => format!("{} = {code_name} {} line {b}", slot(out), slot(a)),
                Shape::Due => format!("b{out} = {code_name} schedule {b} after {}", slot(a)),
            };
            let _ = writeln!(text, "{index:5}  {line}");
        }
    };
    section("setup", &tape.setup);
    section("tick", &tape.ops);
    text
}

fn test_text(tape: &Tape, first: u32) -> String {
    let first = first as usize;
    let last = first + tape.tests[first].rest as usize;
    let mut literals = Vec::new();
    for test in &tape.tests[first..=last] {
        if test.value & !test.mask != 0 {
            return "[never]".to_owned();
        }
        for bit in 0..64 {
            if test.mask >> bit & 1 == 1 {
                let sign = if test.value >> bit & 1 == 1 { "" } else { "!" };
                literals.push(format!("{sign}b{}", test.word * 64 + bit));
            }
        }
    }
    format!("[{}]", literals.join(" "))
}
