//! Lays out a whole table: one row per line, indentation, spacing inside of lines and columns.
//!
//! Works on the tokens of the RON, so that comments, the order of fields, the spelling of rows and
//! of numbers and single blank lines stay the author's. Every field of the table stands on lines of
//! its own, rows take one line each; other groups are broken where the author broke them or where a
//! comment asks for it. Formatting what is formatted changes nothing.

mod groups;
mod role;

use std::fmt::Write as _;

use self::groups::{Comment, Group, Item, Node, Pieces, Place};
use self::role::Role;
use crate::diag::{Diagnostic, has_errors};
use crate::parse;
use crate::parse::ron::{Kind, Value};
use crate::parse::tokens::{Parser, Text};
use crate::print::{Printer, Spelling, string};
use crate::source::{SourceId, SourceMap, Span};
use crate::tree::{Expr, Form, List};

/// Fields of the table that would make a line longer than this are broken.
const WIDTH: usize = 100;

/// The text of a table, laid out; with `to`, all of its rows in one spelling.
///
/// Result: every row keeps its id, place, remark and the comments around it; comments inside of a
/// row that becomes a line go in front of it.
///
/// # Errors
///
/// The mistakes of a text that cannot be read.
pub fn format(
    sources: &SourceMap,
    source: SourceId,
    to: Option<&Spelling<'_>>,
) -> Result<String, Vec<Diagnostic>> {
    let (table, diagnostics) = parse::table(sources, source);
    let Some(table) = table.filter(|_| !has_errors(&diagnostics)) else {
        return Err(diagnostics);
    };
    let text = sources.get(source).text.as_str();
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut layout = Layout {
        sources,
        source,
        text,
        to,
        newline,
        out: String::new(),
    };
    let (start, end) = (table.span.start as usize, table.span.end as usize);
    let mark = if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    layout.out.push_str(&text[..mark]);
    layout.around(&text[mark..start]);
    let mut pieces = Pieces::new(text, start, end);
    let root = pieces.node(&mut Vec::new());
    layout.node(&root, Role::Table, 0, 0);
    layout.out.push_str(newline);
    layout.around(&text[end..]);
    Ok(layout.out)
}

// The parts of the text.

struct Layout<'a> {
    sources: &'a SourceMap,
    source: SourceId,
    text: &'a str,
    to: Option<&'a Spelling<'a>>,
    newline: &'static str,
    out: String,
}

impl Layout<'_> {
    /// Comments and attributes before or behind the table.
    fn around(&mut self, text: &str) {
        let mut blank = false;
        let mut first = true;
        for line in text.lines().map(str::trim_end) {
            if line.is_empty() {
                blank = true;
                continue;
            }
            if blank && !first {
                self.out.push_str(self.newline);
            }
            self.out.push_str(line);
            self.out.push_str(self.newline);
            (blank, first) = (false, false);
        }
    }

    /// Writes a value; `column`: how far the line is written already.
    fn node(&mut self, node: &Node, role: Role, indent: usize, column: usize) {
        let group = match node {
            Node::Group(group) => group,
            Node::Leaf(place) => {
                let leaf = self.leaf(place, role);
                self.out.push_str(&leaf);
                return;
            }
        };
        let flat = || self.flat(group, role);
        let must_break = group.must_break()
            || match role {
                Role::Table | Role::Rows(_) | Role::Scene => !group.items.is_empty(),
                _ if role.is_flat() => false,
                _ => group.broken && !group.items.is_empty(),
            };
        let of_table = indent == 4;
        let flat = (!must_break)
            .then(flat)
            .filter(|flat| !of_table || role.is_flat() || column + flat.chars().count() < WIDTH);
        match flat {
            Some(flat) => self.out.push_str(&flat),
            None => self.broken(group, role, indent),
        }
    }

    /// The group on one line.
    fn flat(&self, group: &Group, role: Role) -> String {
        let mut out = self.text[group.open.clone()].to_owned();
        let inline = |out: &mut String, comments: &[Comment]| {
            for comment in comments {
                let text = self.comment(comment);
                _ = write!(out, "{text} ");
            }
        };
        for (index, item) in group.items.iter().enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            inline(&mut out, &item.lead);
            if let Some(key) = &item.key {
                _ = write!(out, "{}: ", &self.text[key.clone()]);
            }
            let part = role.part(self.key(item));
            match &item.value {
                Node::Leaf(place) => out.push_str(&self.leaf(place, part)),
                Node::Group(group) => out.push_str(&self.flat(group, part)),
            }
            if let Some(trail) = &item.trail {
                _ = write!(out, " {}", self.comment(trail));
            }
        }
        inline(&mut out, &group.tail);
        let out = out.trim_end().to_owned();
        out + &self.text[group.close.clone()]
    }

    /// The group with each item on lines of its own.
    fn broken(&mut self, group: &Group, role: Role, indent: usize) {
        self.out.push_str(&self.text[group.open.clone()]);
        self.out.push_str(self.newline);
        let inner = indent + 4;
        let mut first = true;
        for item in &group.items {
            let row = match role {
                Role::Rows(list) => self.row(item, list),
                _ => None,
            };
            let mut starts_line = self.lead(&item.lead, inner, (true, first));
            if item.blank && starts_line && !(first && item.lead.is_empty()) {
                self.out.push_str(self.newline);
            }
            if let Some(row) = &row
                && !row.comments.is_empty()
            {
                starts_line = self.lead(&row.comments, inner, (starts_line, true));
            }
            if starts_line {
                self.indent(inner);
            }
            let mut column = inner;
            if let Some(key) = &item.key {
                let key = &self.text[key.clone()];
                _ = write!(self.out, "{key}: ");
                column += key.chars().count() + 2;
            }
            match row {
                Some(row) => self.out.push_str(&row.text),
                None => {
                    let part = role.part(self.key(item));
                    self.node(&item.value, part, inner, column);
                }
            }
            self.out.push(',');
            if let Some(trail) = &item.trail {
                let text = self.comment(trail);
                _ = write!(self.out, " {text}");
            }
            self.out.push_str(self.newline);
            first = false;
        }
        if !self.lead(&group.tail, inner, (true, first)) {
            self.out.truncate(self.out.trim_end().len());
            self.out.push_str(self.newline);
        }
        self.indent(indent);
        self.out.push_str(&self.text[group.close.clone()]);
    }

    /// Writes comments in front of an item, given whether they start a line and stand first in the group; says whether
    /// the item starts a line.
    fn lead(
        &mut self,
        lead: &[Comment],
        indent: usize,
        (mut starts_line, mut first): (bool, bool),
    ) -> bool {
        for comment in lead {
            if starts_line {
                if comment.blank && !first {
                    self.out.push_str(self.newline);
                }
                self.indent(indent);
            }
            let text = self.comment(comment);
            self.out.push_str(&text);
            self.out
                .push_str(if comment.own_line { self.newline } else { " " });
            starts_line = comment.own_line;
            first = false;
        }
        starts_line
    }

    fn indent(&mut self, width: usize) {
        self.out.extend(std::iter::repeat_n(' ', width));
    }

    fn comment(&self, comment: &Comment) -> String {
        self.text[comment.place.clone()].trim_end().to_owned()
    }

    fn key(&self, item: &Item) -> Option<&str> {
        item.key.as_ref().map(|key| &self.text[key.clone()])
    }

    fn span(&self, place: &Place) -> Span {
        Span::new(self.source, place.start, place.end)
    }

    // Rows.

    /// A row that is printed from its tree; `None` if it stays columns, laid out as any group, or has
    /// to stay as it is.
    fn row(&self, item: &Item, list: List) -> Option<RowText> {
        let place = match &item.value {
            Node::Leaf(place) => place,
            Node::Group(group) => &group.place,
        };
        let value = Value::at(self.sources, self.span(place));
        let is_line = value.kind() == Kind::String;
        // A shape has one spelling.
        let to = self.to.filter(|_| list != List::Scene);
        let form = to.map_or(if is_line { Form::Line } else { Form::Columns }, |to| {
            to.form
        });
        let stays = is_line == (form == Form::Line);
        // Escapes would have to be made anew; such a line stays as it is.
        let is_exact = || value.string().is_some_and(|(_, start)| start.is_some());
        if stays && !(is_line && is_exact()) {
            return None;
        }
        let (row, reports) = parse::row(self.sources, value.span(), list);
        let row = row.filter(|_| reports.is_empty())?;
        let printed = self.printer().row(&row, to)?;
        let mut comments = Vec::new();
        let text = match (&item.value, form) {
            (_, Form::Columns) => printed,
            (Node::Leaf(place), Form::Line) => self.requoted(place, &printed),
            (Node::Group(group), Form::Line) => {
                group.copy_comments(&mut comments);
                string(&printed)
            }
        };
        Some(RowText { text, comments })
    }

    fn printer(&self) -> Printer<'_> {
        Printer::spelling_as(self.sources)
    }

    // Strings.

    /// A value that is no group.
    fn leaf(&self, place: &Place, role: Role) -> String {
        let written = &self.text[place.clone()];
        let value = Value::at(self.sources, self.span(place));
        if value.kind() != Kind::String {
            return written.to_owned();
        }
        let Some((text, Some(start))) = value.string() else {
            return written.to_owned();
        };
        let start = u32::try_from(start).expect("a source has fewer than 2^32 bytes");
        let text = Text::exact(&text, self.source, start);
        let mut printer = self.printer();
        let print_expr = |printer: &mut Printer<'_>, expr: Expr| printer.expr(&expr, 0);
        let (mut lexemes, mut reports) = (Vec::new(), Vec::new());
        let mut parser = Parser::new(text, &mut lexemes, &mut reports);
        match role {
            Role::Condition | Role::Comparison => {
                let condition = parser.whole(Parser::condition);
                printer.condition(&condition);
            }
            Role::Quantity | Role::Expressions => {
                print_expr(&mut printer, parser.whole(Parser::expression));
            }
            Role::Arguments => print_expr(&mut printer, parser.whole(Parser::argument)),
            Role::Names => {
                let name = parser.whole(Parser::name);
                printer.written(&name);
            }
            Role::Range => {
                let (from, to) = parser.whole(Parser::counter_range);
                printer.ends(&from, &to);
            }
            Role::Each => {
                let over = parser.whole(Parser::counters);
                printer.counters(&over);
            }
            Role::Switches => {
                let switch = parser.whole(Parser::switch);
                printer.switch(&switch);
            }
            _ => return written.to_owned(),
        }
        if !reports.is_empty() {
            return written.to_owned();
        }
        self.requoted(place, &printer.text())
    }

    /// The string at a place with another text between the same quotes.
    fn requoted(&self, place: &Place, text: &str) -> String {
        let written = &self.text[place.clone()];
        let open = written.find('"').map_or(0, |quote| quote + 1);
        let close = written.rfind('"').unwrap_or(written.len());
        format!("{}{text}{}", &written[..open], &written[close..])
    }
}

/// A printed row.
struct RowText {
    text: String,
    /// Comments from inside of it.
    comments: Vec<Comment>,
}
