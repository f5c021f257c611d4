//! Lays out a whole table: one row per line, indentation, spacing inside of lines and columns.
//!
//! Works on the tokens of the RON, so that comments, the order of fields, the spelling of rows and
//! of numbers and single blank lines stay the author's. Every field of the table stands on lines of
//! its own, rows take one line each; other groups are broken where the author broke them or where a
//! comment asks for it. Formatting what is formatted changes nothing.

use std::fmt::Write as _;

use situ_engine::model::{Clock, ClockKind};

use super::{Columns, Printer, string};
use crate::diag::{Diagnostic, has_errors};
use crate::parse;
use crate::parse::ron::{Kind, Token, Tokens, Value};
use crate::parse::tokens::{Parser, Text};
use crate::source::{SourceId, SourceMap, Span};
use crate::tree::{Expr, Form, List, Relation};

/// A spelling that all rows are to have.
#[derive(Clone, Copy)]
pub struct Spelling<'a> {
    /// The spelling.
    pub form: Form,
    /// The columns of a relation in either spelling (`resolve::columns`); without them the row
    /// stays as it is.
    pub columns: &'a dyn Fn(&Relation) -> Option<Columns>,
    /// Whether a name is one of the model's constants.
    pub is_constant: &'a dyn Fn(&str) -> bool,
}

/// Fields of the table that would make a line longer than this are broken.
const WIDTH: usize = 100;

/// The text of a table, laid out; with `to`, all of its rows in one spelling.
///
/// Result: every row keeps its id, place, remark and the comments around it; comments inside of a
/// row that becomes a line go in front of it.
/// Errors: the mistakes of a text that cannot be read.
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

/// What a value means, which decides how it is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Table,
    Clock,
    Quantities,
    Quantity,
    Cases,
    Case,
    Rows(List),
    Row(List),
    /// A condition or a list of literals.
    Condition,
    Comparisons,
    Comparison,
    /// An expression or a group of them.
    Expressions,
    /// An argument or a list of them.
    Arguments,
    /// A name or a list of them.
    Names,
    /// Switches to set.
    Switches,
    Other,
}

impl Role {
    /// The role of a part.
    fn part(self, key: Option<&str>) -> Role {
        match (self, key) {
            (Self::Table | Self::Case, Some("clock")) => Self::Clock,
            (Self::Table, Some("constants" | "reals" | "invariants")) => Self::Quantities,
            (Self::Table, Some("cases")) => Self::Cases,
            (Self::Table, Some(key)) => {
                let list = List::ALL.into_iter().find(|list| list.name() == key);
                list.map_or(Self::Other, Self::Rows)
            }
            (Self::Quantities, _) => Self::Quantity,
            (Self::Cases, _) => Self::Case,
            (Self::Rows(list), _) => Self::Row(list),
            (Self::Clock, Some(key)) => match Clock::setting(key).map(|setting| setting.kind) {
                Some(ClockKind::Condition) => Self::Condition,
                Some(ClockKind::Expression) => Self::Expressions,
                _ => Self::Other,
            },
            (Self::Quantity, Some("start")) | (Self::Case, Some("set")) => Self::Expressions,
            (Self::Row(List::Ranges), Some("all")) => Self::Comparisons,
            (Self::Row(_), Some("all" | "when")) => Self::Condition,
            (Self::Row(_), Some("args")) => Self::Arguments,
            (Self::Row(_), Some("coef" | "coef2")) => Self::Expressions,
            (Self::Row(_), Some("real" | "name")) => Self::Names,
            (Self::Row(_), Some("set")) => Self::Switches,
            (Self::Comparisons, _) => Self::Comparison,
            (Self::Comparison, _) => Self::Expressions,
            (
                Self::Condition
                | Self::Expressions
                | Self::Arguments
                | Self::Names
                | Self::Switches,
                _,
            ) => self,
            _ => Self::Other,
        }
    }

    /// Whether it always stands on one line, if its comments allow it.
    fn is_flat(self) -> bool {
        !matches!(
            self,
            Self::Table
                | Self::Clock
                | Self::Quantities
                | Self::Quantity
                | Self::Cases
                | Self::Case
                | Self::Rows(_)
                | Self::Other
        )
    }
}

// The parts of the text.

/// A value with the comments in and around its parts.
enum Node {
    Leaf(Place),
    Group(Group),
}

/// Bytes of the text.
type Place = std::ops::Range<usize>;

struct Group {
    /// From the name in front of the bracket, if there is one, to the closing bracket.
    place: Place,
    /// The opening bracket, with the name.
    open: Place,
    close: Place,
    /// The author broke the line behind the opening bracket.
    broken: bool,
    items: Vec<Item>,
    /// Behind the last item.
    tail: Vec<Comment>,
}

struct Item {
    /// A blank line stands before it.
    blank: bool,
    lead: Vec<Comment>,
    key: Option<Place>,
    value: Node,
    /// On the same line behind it.
    trail: Option<Comment>,
}

#[derive(Clone)]
struct Comment {
    place: Place,
    blank: bool,
    /// It ends with the line, or stands alone on some.
    own_line: bool,
}

impl Group {
    /// Whether comments make it impossible to stand on one line.
    fn must_break(&self) -> bool {
        self.tail.iter().any(|comment| comment.own_line)
            || self.items.iter().any(|item| {
                item.lead
                    .iter()
                    .chain(&item.trail)
                    .any(|comment| comment.own_line)
                    || matches!(&item.value, Node::Group(group) if group.must_break())
            })
    }

    /// Adds all comments inside of it, each for a line of its own.
    fn copy_comments(&self, comments: &mut Vec<Comment>) {
        let alone = |comment: &Comment| Comment {
            own_line: true,
            blank: false,
            ..comment.clone()
        };
        for item in &self.items {
            comments.extend(item.lead.iter().map(alone));
            if let Node::Group(group) = &item.value {
                group.copy_comments(comments);
            }
            comments.extend(item.trail.iter().map(alone));
        }
        comments.extend(self.tail.iter().map(alone));
    }
}

/// A token and the line breaks before it.
#[derive(Clone)]
struct Piece {
    token: Token,
    place: Place,
    breaks: usize,
    /// It is a comment over several lines.
    has_breaks: bool,
}

/// The tokens of a value, one after the other.
struct Pieces {
    pieces: Vec<Piece>,
    next: usize,
}

impl Pieces {
    fn new(text: &str, start: usize, end: usize) -> Self {
        let mut behind = start;
        let pieces = Tokens::new(&text[start..end])
            .map(|(token, token_start, token_end)| {
                let place = start + token_start..start + token_end;
                let breaks = text[behind..place.start].matches('\n').count();
                behind = place.end;
                let has_breaks = token == Token::BlockComment && text[place.clone()].contains('\n');
                Piece {
                    token,
                    place,
                    breaks,
                    has_breaks,
                }
            })
            .collect();
        Self { pieces, next: 0 }
    }

    fn peek(&self) -> Option<&Piece> {
        self.pieces.get(self.next)
    }

    fn next_if(&mut self, accepts: impl Fn(Token) -> bool) -> Option<Piece> {
        let piece = self.peek().filter(|piece| accepts(piece.token))?.clone();
        self.next += 1;
        Some(piece)
    }

    /// Takes comments.
    fn comments(&mut self, comments: &mut Vec<Comment>) {
        while let Some(piece) = self.next_if(is_comment) {
            let ends_line = self.peek().is_none_or(|next| next.breaks > 0);
            comments.push(Comment {
                own_line: piece.token == Token::LineComment || piece.has_breaks || ends_line,
                blank: piece.breaks > 1,
                place: piece.place,
            });
        }
    }

    /// Takes a comment that ends the line of what was just read.
    fn trail(&mut self) -> Option<Comment> {
        let piece = self
            .peek()
            .filter(|piece| is_comment(piece.token) && piece.breaks == 0)?;
        let ends_line = self.pieces.get(self.next + 1).is_none_or(|next| {
            next.breaks > 0 || next.token == Token::Close || next.token == Token::Comma
        });
        if piece.token == Token::BlockComment && !ends_line {
            return None;
        }
        let own_line = piece.token == Token::LineComment || piece.has_breaks;
        let place = piece.place.clone();
        self.next += 1;
        Some(Comment {
            own_line,
            place,
            blank: false,
        })
    }

    /// The next token that is no comment.
    fn significant(&self) -> Option<Token> {
        let rest = self.pieces[self.next..].iter().map(|piece| piece.token);
        rest.into_iter().find(|token| !is_comment(*token))
    }

    /// Reads a value; comments that stand in its middle go to `lead`.
    fn node(&mut self, lead: &mut Vec<Comment>) -> Node {
        let is_value = |token| matches!(token, Token::Word | Token::Quoted | Token::Open);
        let mut place: Option<Place> = None;
        while self.significant().is_some_and(is_value) {
            self.comments(lead);
            let Some(piece) = self.next_if(is_value) else {
                break;
            };
            let start = place.map_or(piece.place.start, |place| place.start);
            if piece.token == Token::Open {
                return Node::Group(self.group(start, piece.place.end));
            }
            place = Some(start..piece.place.end);
        }
        Node::Leaf(place.unwrap_or(0..0))
    }

    fn group(&mut self, start: usize, open_end: usize) -> Group {
        let broken = self.peek().is_some_and(|piece| piece.breaks > 0);
        let mut items: Vec<Item> = Vec::new();
        loop {
            let mut lead = Vec::new();
            self.comments(&mut lead);
            let Some(next) = self.peek().cloned() else {
                return Group {
                    place: start..open_end,
                    open: start..open_end,
                    close: open_end..open_end,
                    broken,
                    items,
                    tail: lead,
                };
            };
            if next.token == Token::Close {
                self.next += 1;
                return Group {
                    place: start..next.place.end,
                    open: start..open_end,
                    close: next.place,
                    broken,
                    items,
                    tail: lead,
                };
            }
            if matches!(next.token, Token::Comma | Token::Colon) {
                self.next += 1;
                continue;
            }
            items.push(self.item(lead, next.breaks > 1));
        }
    }

    fn item(&mut self, mut lead: Vec<Comment>, blank: bool) -> Item {
        let mut value = self.node(&mut lead);
        let mut key = None;
        if self.significant() == Some(Token::Colon) {
            self.comments(&mut lead);
        }
        if self.next_if(|token| token == Token::Colon).is_some() {
            if let Node::Leaf(place) = value {
                key = Some(place);
            }
            value = self.node(&mut lead);
        }
        let mut trail = self.trail();
        if self.significant() == Some(Token::Comma) {
            // On lines of their own before the comma.
            self.comments(&mut lead);
        }
        if self.next_if(|token| token == Token::Comma).is_some() && trail.is_none() {
            trail = self.trail();
        }
        Item {
            blank,
            lead,
            key,
            value,
            trail,
        }
    }
}

fn is_comment(token: Token) -> bool {
    matches!(token, Token::LineComment | Token::BlockComment)
}

// The layout.

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
                Role::Table | Role::Rows(_) => !group.items.is_empty(),
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
            let mut starts_line = self.lead(&item.lead, inner, first);
            if item.blank && starts_line && !(first && item.lead.is_empty()) {
                self.out.push_str(self.newline);
            }
            if let Some(row) = &row
                && !row.comments.is_empty()
            {
                starts_line = self.lead(&row.comments, inner, true);
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
        if !self.lead(&group.tail, inner, first) {
            self.out.truncate(self.out.trim_end().len());
            self.out.push_str(self.newline);
        }
        self.indent(indent);
        self.out.push_str(&self.text[group.close.clone()]);
    }

    /// Writes comments in front of an item; says whether the item starts a line.
    fn lead(&mut self, lead: &[Comment], indent: usize, mut first: bool) -> bool {
        let mut starts_line = true;
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
        let form = self
            .to
            .map_or(if is_line { Form::Line } else { Form::Columns }, |to| {
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
        let printed = self.printer().row(&row, self.to)?;
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
        Printer {
            out: String::new(),
            sources: Some(self.sources),
        }
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
                printer.name(&name.value);
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
        self.requoted(place, &printer.out)
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
