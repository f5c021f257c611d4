//! Tables of what moves and switches, made of random choices.

mod parts;

use std::fmt::Write as _;

use crate::fuzz::choices::Choices;

const NUMBERS: [&str; 8] = [
    "0.017", "0.5", "-0.52", "0.3", "1", "-0.83", "0.12", "-0.27",
];
const FACTORS: [&str; 8] = ["1", "0.4", "-0.7", "2.94", "-1.6", "0.26", "3.1", "-0.33"];

/// The text of a table.
pub(in crate::fuzz) fn table(choices: &mut Choices<'_>) -> String {
    filled(Draft::default(), choices)
}

/// The same with rows that are solved, delays that vary, families, reactions and machines among its parts.
pub(in crate::fuzz) fn wide_table(choices: &mut Choices<'_>) -> String {
    let draft = Draft {
        is_wide: true,
        ..Draft::default()
    };
    filled(draft, choices)
}

fn filled(mut table: Draft, choices: &mut Choices<'_>) -> String {
    for name in ["x", "y"] {
        let rate = table.rate(choices);
        let when = table.maybe_when(choices);
        table.row(format!("{name} = integral({rate}){when}"));
        if !when.is_empty() && choices.once_in(2) {
            let rate = table.rate(choices);
            table.row(format!(
                "{name} = integral({rate}){}",
                when.replacen("when ", "when !", 1).replace("!!", "")
            ));
        }
    }
    for _ in 0..1 + choices.below(4) {
        table.feature(choices);
    }
    table.text(choices)
}

/// A table that is being written.
#[derive(Default)]
struct Draft {
    /// Ranges with their conditions.
    ranges: Vec<(String, String)>,
    situations: Vec<String>,
    /// Names of events.
    events: Vec<String>,
    switches: Vec<String>,
    assignments: Vec<String>,
    relations: Vec<String>,
    /// Reals that rows compute, besides x and y.
    levels: Vec<String>,
    /// Reals with their start values, besides the levels, species with theirs, stages, and machines.
    reals: Vec<String>,
    /// Ranges with counters.
    counted: Vec<String>,
    species: Vec<String>,
    stages: Vec<String>,
    machines: Vec<String>,
    /// True if all parts of the language take part.
    is_wide: bool,
    /// Number of loops, and whether a range contradicts itself.
    loops: usize,
    contradicts: bool,
}

impl Draft {
    fn row(&mut self, row: String) {
        self.relations.push(row);
    }

    /// A new real.
    fn level(&mut self) -> String {
        let name = format!("a{}", self.levels.len());
        self.levels.push(name.clone());
        name
    }

    /// A real that is known.
    fn real(&mut self, choices: &mut Choices<'_>) -> String {
        match choices.below(3) {
            0 => "x".to_owned(),
            1 => "y".to_owned(),
            _ => match choices.below(self.levels.len() + 1) {
                0 => "x".to_owned(),
                index => self.levels[index - 1].clone(),
            },
        }
    }

    /// A rate that stays bounded.
    fn rate(&mut self, choices: &mut Choices<'_>) -> String {
        let (a, b) = (choices.of(&FACTORS), choices.of(&FACTORS));
        let other = choices.of(&["x", "y"]);
        match choices.below(7) {
            0 => "1".to_owned(),
            1 => format!("{a} * sin({b} * {other} + {} * time)", choices.of(&FACTORS)),
            2 => format!("{a} * cos({b} * time)"),
            3 => format!("-{other}"),
            4 => format!("{a} - {other}"),
            5 => format!("{a} * cos(3 * time) - 0.5 * {other}"),
            _ => format!("0.4 * cos({})", self.kinked(choices, 1)),
        }
    }

    /// An expression with kinks and jumps of what is known.
    fn kinked(&mut self, choices: &mut Choices<'_>, depth: usize) -> String {
        if depth == 0 {
            let real = self.real(choices);
            return match choices.below(3) {
                0 => real,
                1 => format!("({} * {real})", choices.of(&FACTORS)),
                _ => format!("({real} - {})", choices.of(&NUMBERS).replace('-', "")),
            };
        }
        let a = self.kinked(choices, depth - 1);
        let n = choices.of(&NUMBERS);
        match choices.below(11) {
            0 => format!("abs({a})"),
            1 => format!("min({a}, {})", self.kinked(choices, depth - 1)),
            2 => format!("max({a}, {n})"),
            3 => format!("clamp({a}, -0.5, 0.49)"),
            4 => format!("sign({a} - 0.0117)"),
            5 => format!("floor(2 * {a} + 0.17)"),
            6 => format!("mod({a} + 0.113, 0.73)"),
            7 => format!("min({a}, 0.6) + 0.1 * {a}"),
            8 => format!("sin({a} + 2 * time)"),
            9 => format!("({a} * {a} - {n})"),
            _ => format!("max({a}, -3 * {a})"),
        }
    }

    /// A range, new or known.
    fn range(&mut self, choices: &mut Choices<'_>) -> String {
        let known = choices.below(self.ranges.len() + 2);
        if known >= 2 {
            return self.ranges[known - 2].0.clone();
        }
        let name = format!("p{}", self.ranges.len());
        let depth = choices.below(2);
        let left = self.kinked(choices, depth);
        let op = choices.of(&[">", "<", ">=", "<="]);
        let right = choices.of(&["0.31", "-0.23", "0.07", "0.8", "-0.61", "1.03"]);
        let condition = match choices.below(6) {
            5 => format!("time >= {}", choices.of(&["0.7", "1", "1.3"])),
            _ => format!("{left} {op} {right}"),
        };
        self.ranges.push((name.clone(), condition));
        name
    }

    /// A boolean or its negation.
    fn literal(&mut self, choices: &mut Choices<'_>) -> String {
        let not = choices.of(&["", "!"]);
        match choices.below(4) {
            3 if !self.switches.is_empty() => {
                format!("{not}{}", self.switches[choices.below(self.switches.len())])
            }
            _ => format!("{not}{}", self.range(choices)),
        }
    }

    fn maybe_when(&mut self, choices: &mut Choices<'_>) -> String {
        match choices.below(3) {
            0 => String::new(),
            1 => format!(" when {}", self.literal(choices)),
            _ => format!(
                " when {} & {}",
                self.literal(choices),
                self.literal(choices)
            ),
        }
    }

    /// An event, new or known.
    fn event(&mut self, choices: &mut Choices<'_>) -> String {
        let known = choices.below(self.events.len() + 3);
        if known >= 3 {
            return self.events[known - 3].clone();
        }
        let condition = match choices.below(6) {
            0 => format!("every({})", choices.of(&["0.3", "0.13", "0.7", "0.45"])),
            1 => format!("{} & {}", self.literal(choices), self.literal(choices)),
            2 if !self.events.is_empty() => {
                let event = self.events[choices.below(self.events.len())].clone();
                format!("{event} & {}", self.literal(choices))
            }
            _ => self.literal(choices),
        };
        let name = format!("e{}", self.events.len());
        self.situations.push(format!("event {name}: {condition}"));
        self.events.push(name.clone());
        name
    }

    /// One more thing that the table does.
    fn feature(&mut self, choices: &mut Choices<'_>) {
        if self.is_wide && choices.below(2) == 0 {
            return self.part(choices);
        }
        match choices.below(13) {
            // Nested kinks.
            0 => {
                let value = self.kinked(choices, 2);
                let when = self.maybe_when(choices);
                let level = self.level();
                self.row(format!("{level} = {value}{when}"));
            }
            // A loop through kinks, whose slope is below 1.
            1 if !self.contradicts => {
                self.loops += 1;
                let real = self.real(choices);
                let level = self.level();
                let (a, w) = (choices.of(&FACTORS), choices.of(&FACTORS));
                let row = match choices.below(6) {
                    0 => format!("{real} - 0.5 * abs({level})"),
                    1 => format!("{real} - 0.5 * max({level}, 0)"),
                    2 => format!(
                        "clamp(0.4 * {real} + 0.67 * sin(0.4 * {level} + {w} * time), -0.5, 0.49)"
                    ),
                    3 => format!("0.3 * min({level}, {real}) + {a} * cos({w} * time)"),
                    4 => format!(
                        "{real} - 0.4 * clamp({level}, -0.2, 0.3) + 0.2 * abs({level} - 0.1)"
                    ),
                    _ => format!("({real} - 0.3 * {level} * abs({level})) / 1.2"),
                };
                self.row(format!("{level} = {row}"));
            }
            // A delay.
            2 => {
                let real = self.real(choices);
                let level = self.level();
                let tau = choices.of(&["0.27", "0.53", "0.13"]);
                self.row(format!("{level} = delay({real}, {tau})"));
            }
            // A fast slaved state.
            3 => {
                let real = self.real(choices);
                let level = self.level();
                let rate = choices.of(&["20", "60", "7"]);
                self.row(format!("{level} = integral({rate} * ({real} - {level}))"));
            }
            // A smoothing.
            4 => {
                let real = self.real(choices);
                let level = self.level();
                self.row(format!(
                    "{level} = smoothing({real}, {})",
                    choices.of(&["0.1", "0.4"])
                ));
            }
            // A row that moves its own condition. (Along a slide there the branches of a loop are those of where it began.)
            5 if self.loops == 0 => {
                self.contradicts = true;
                let real = self.real(choices);
                let level = self.level();
                let range = format!("p{}", self.ranges.len());
                let by = choices.of(&["0.37", "0.053", "-0.43"]);
                self.ranges.push((
                    range.clone(),
                    format!("{level} > {}", choices.of(&["0.3337", "-0.1113"])),
                ));
                self.row(format!("{level} = {real} when !{range}"));
                self.row(format!("{level} = {real} + {by} when {range}"));
            }
            // A jump.
            6 | 7 => {
                let event = self.event(choices);
                let jump = match choices.below(6) {
                    0 => "x := 0.1 - 0.5 * x".to_owned(),
                    1 => "y := y + 0.5".to_owned(),
                    2 => "x := 0.0437".to_owned(),
                    3 => "x, y := y, x".to_owned(),
                    4 => "y := 0.07 - y".to_owned(),
                    _ => {
                        let real = self.real(choices);
                        let level = self.level();
                        format!("{level} := {level} + {real}")
                    }
                };
                self.row(format!("{jump} when {event}"));
            }
            // A switch.
            8 | 9 => {
                let name = format!("s{}", self.switches.len());
                let (on, off) = (self.cause(choices), self.cause(choices));
                self.switches.push(name.clone());
                self.assignments.push(format!("when {on}: {name}"));
                self.assignments.push(format!("when {off}: !{name}"));
                let level = self.level();
                self.row(format!("{level} = integral(1) when {name}"));
            }
            // A count.
            10 => {
                let event = self.event(choices);
                let level = self.level();
                self.row(format!("{level} = counter({event})"));
            }
            // A hysteresis.
            11 => {
                let value = self.kinked(choices, 1);
                let level = self.level();
                self.row(format!("{level} = hysteresis({value}, -0.2, 0.28)"));
            }
            // A value that is held.
            _ => {
                let real = self.real(choices);
                let when = self.literal(choices);
                let level = self.level();
                self.row(format!("{level} = {real} when {when}"));
            }
        }
    }

    /// Cause that sets a switch.
    fn cause(&mut self, choices: &mut Choices<'_>) -> String {
        match choices.below(3) {
            0 => self.literal(choices),
            1 => self.event(choices),
            _ => format!("{} & {}", self.literal(choices), self.literal(choices)),
        }
    }

    fn text(mut self, choices: &mut Choices<'_>) -> String {
        // What held on the way is seen at the end.
        let seen = self
            .levels
            .last()
            .cloned()
            .unwrap_or_else(|| "x".to_owned());
        self.row(format!("w = integral({seen})"));
        if let Some((range, _)) = self.ranges.first() {
            let row = format!("u = integral(1) when {range}");
            self.row(row);
        }
        let n = self.relations.len();
        for index in 0..n.saturating_sub(1) {
            if choices.once_in(3) {
                self.relations.swap(index, index + 1);
            }
        }
        let mut text = String::from("(format: 1, clock: (stop: 2), reals: {");
        let start = [choices.of(&NUMBERS), choices.of(&NUMBERS)];
        write!(
            text,
            "\"x\": {}, \"y\": {}, \"w\": 0, \"u\": 0",
            start[0], start[1]
        )
        .unwrap();
        for level in &self.levels {
            write!(text, ", \"{level}\": 0").unwrap();
        }
        for real in &self.reals {
            write!(text, ", {real}").unwrap();
        }
        if !self.reals.is_empty() {
            text.push_str("},\nconstants: {\"N\": 3}, counters: {\"j\": \"1 .. N\"");
        }
        text.push_str("},\nswitches: {");
        for (index, switch) in self.switches.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(
                text,
                "{comma}\"{switch}\": {}",
                choices.of(&["false", "true"])
            )
            .unwrap();
        }
        text.push_str("},\nranges: [\n");
        for range in &self.counted {
            writeln!(text, "  \"{range}\",").unwrap();
        }
        let written = self.ranges.iter();
        for (name, condition) in written.filter(|(_, condition)| !condition.is_empty()) {
            writeln!(text, "  \"{name}: {condition}\",").unwrap();
        }
        for (list, rows) in [
            ("situations", &self.situations),
            ("assignments", &self.assignments),
            ("relations", &self.relations),
        ] {
            writeln!(text, "],\n{list}: [").unwrap();
            for row in rows {
                writeln!(text, "  \"{row}\",").unwrap();
            }
        }
        text.push(']');
        if !self.species.is_empty() {
            let (species, stages) = (self.species.join(", "), self.stages.join("\", \""));
            write!(text, ",\nspecies: {{{species}}}, reactions: [\"{stages}\"]").unwrap();
        }
        if !self.machines.is_empty() {
            write!(text, ",\nmachines: {{{}}}", self.machines.join(",\n  ")).unwrap();
        }
        text.push_str(")\n");
        text
    }
}
