//! Parts of the language that stand for ordinary rows: families, schemes, machines.

use super::Draft;
use crate::fuzz::choices::Choices;

impl Draft {
    /// A part of the language that stands for ordinary rows, or a row that is solved, or a delay that varies.
    pub(super) fn part(&mut self, choices: &mut Choices<'_>) {
        let real = self.real(choices);
        match choices.below(8) {
            // One solution always: the slopes are positive. (Along a slide of a contradiction as loops above.)
            0 | 1 if !self.contradicts => {
                self.loops += 1;
                let level = self.level();
                let when = self.maybe_when(choices);
                let row = match choices.below(6) {
                    0 => format!("solve {level}: {level} + 0.4 * sin({level}) = {real}"),
                    1 => format!("solve {level} from -9 to 9: {level} + {level}^3 = {real}"),
                    2 => format!("solve {level}: {level} + 0.5 * abs({level}) = {real}"),
                    3 => format!("solve {level}: {level} = 0.3 * cos({level}) + {real}"),
                    4 => format!("solve {level}: 2 * {level} + max({level}, {real}) = 0.4"),
                    _ => {
                        let other = self.level();
                        format!(
                            "solve {level}, {other}: {level} + 0.3 * {other} = {real}, {other} - 0.4 * sin({level}) = y"
                        )
                    }
                };
                self.row(format!("{row}{when}"));
            }
            2 => {
                let level = self.level();
                let row = match choices.below(3) {
                    0 => format!("rate({level}) + 0.3 * sin(rate({level})) = {real} - {level}"),
                    1 => format!("rate({level}) + 0.5 * abs(rate({level})) = {real}"),
                    _ => format!("2 * rate({level}) + {level} = {real}"),
                };
                self.row(format!("solve rate({level}): {row}"));
            }
            3 => {
                let level = self.level();
                let tau = choices.of(&[
                    "0.2 + 0.1 * sin(time)",
                    "0.3 * time",
                    "0.15 + 0.05 * sin(2 * x)",
                    "max(0.3, time - 0.4)",
                    "0.1 + 0.1 * abs(y)",
                ]);
                self.row(format!("{level} = delay({real}, {tau})"));
            }
            4 | 5 => self.family(choices, &real),
            6 => self.scheme(choices),
            _ => self.machine(choices, &real),
        }
    }

    /// A chain of three with ranges of its own, once in a table.
    fn family(&mut self, choices: &mut Choices<'_>, real: &str) {
        if self.reals.iter().any(|known| known.starts_with("\"f[")) {
            return;
        }
        self.reals.push("\"f[0 .. N + 1]\": 0.1".to_owned());
        self.reals.push("\"g[j]\": 0".to_owned());
        let limit = choices.of(&["0.31", "-0.23", "0.07"]);
        self.counted.push(format!("hot[j]: f[j] > {limit}"));
        // One of them may be named in any condition.
        self.ranges.push(("hot[2]".to_owned(), String::new()));
        self.row(format!("f[0] = {real}"));
        self.row("f[N + 1] = f[N]".to_owned());
        let rate = choices.of(&[
            "4 * (f[j - 1] - f[j])",
            "3 * (f[j - 1] - 2 * f[j] + f[j + 1])",
            "sin(f[j - 1]) - 0.5 * f[j]",
            "2 * f[j - 1] - abs(f[j])",
        ]);
        self.row(format!("f[j] = integral({rate})"));
        let row = match choices.below(5) {
            0 => "g[j] = integral(1) when hot[j]",
            1 => "g[j] = f[j] when hot[j]",
            2 => "g[j] = max(f[j], f[j - 1])",
            3 => "g[j] = integral(f[j]) when !hot[j]",
            _ => {
                self.situations.push("event up[j]: hot[j]".to_owned());
                "g[j] := g[j] + 1 when up[j]"
            }
        };
        self.row(row.to_owned());
        let level = self.level();
        let sum = choices.of(&[
            "sum(g[j] for j)",
            "mean(f[j] for j)",
            "max(f[j] for j)",
            "number(hot[j] for j)",
            "sum(f[j] for j when hot[j])",
        ]);
        self.row(format!("{level} = {sum}"));
    }

    /// Two stages and a source, once in a table.
    fn scheme(&mut self, choices: &mut Choices<'_>) {
        if !self.species.is_empty() {
            return;
        }
        self.species = ["\"A\": 1", "\"B\": 0.2", "\"C\": 0"]
            .map(str::to_owned)
            .into();
        let when = self.maybe_when(choices);
        self.stages.push("A + B -> C : 1.3".to_owned());
        self.stages.push(match choices.below(4) {
            0 => format!("C -> 2 B : 0.7{when}"),
            1 => format!("C <-> A : 0.7, 0.3{when}"),
            2 => format!("C -> B at C / (0.5 + C){when}"),
            _ => format!("2 A -> C : 0.4{when}"),
        });
        self.stages
            .push(format!("-> A : {}", choices.of(&["0.5", "1.1"])));
        let level = self.level();
        let row = choices.of(&["A - C", "flux(1)", "max(A, B)", "integral(C)"]);
        self.row(format!("{level} = {row}"));
    }

    /// A machine of two or three states that a real drives.
    fn machine(&mut self, choices: &mut Choices<'_>, real: &str) {
        let name = format!("m{}", self.machines.len());
        let level = self.level();
        let (up, down) = (
            choices.of(&["0.31", "0.07"]),
            choices.of(&["-0.23", "0.01"]),
        );
        let write = choices.of(&[
            "",
            ": x := 0.0437",
            ": y := y + 0.5",
            ": x := 0.1 - 0.5 * x",
        ]);
        let and = match choices.below(3) {
            0 => format!(" & {}", self.literal(choices)),
            _ => String::new(),
        };
        let third = choices.once_in(2);
        let states = if third { ", \"last\": []" } else { "" };
        let to_third = if third {
            ", \"on -> last when time >= 1.3\""
        } else {
            ""
        };
        self.machines.push(format!(
            "\"{name}\": (states: {{\"off\": [\"{level} = integral(-0.4)\"], \"on\": [\"{level} = integral({real})\"]{states}}}, \
             transitions: [\"off -> on when {real} > {up}{and}{write}\", \"on -> off when {real} < {down}\"{to_third}])"
        ));
    }
}
