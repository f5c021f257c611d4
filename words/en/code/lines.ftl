# Pages of codes: the RON of a table, and rows as text.

code-base = The base, base.ron:
code-bad = Bad:
code-repaired = Repaired:

code-P001 = the table is not RON
    .what = A bracket, quote, comma or colon of the table is missing or stands in the wrong place.
    .why = Nothing behind such a place can be understood, so this is the only report about the table.

code-P002 = an expression or the table nests too deeply
    .what =
        Brackets, signs or powers lie more than 128 deep in each other, or one expression chains more than 512
        operations.
    .why =
        Nobody can read such an expression, and every later step would need memory for each level. A part of it
        with a name of its own is a row that can be looked at in the output.

code-P003 = a field is not known
    .what = The table, a row or another group of fields has a field of a name that means nothing there.
    .why = It is most likely a typing mistake; ignoring it silently would change the model.

code-P004 = a key is given twice
    .what = The same field or name stands twice in one group.
    .why = Only one of the two could count, and it would not be clear which one.

code-P005 = a value is of the wrong type
    .what =
        A field holds another kind of value than it takes: a number where a list belongs, a bare name where
        quotes belong.
    .why = The value cannot be used as it stands.

code-P006 = a field is missing
    .what = A row lacks a field without which it says nothing.
    .why = No value can be assumed for it.

code-P007 = a word is not among those that may stand here
    .what = A field that takes one of a few words holds another one.
    .why = Each of the words selects a way of working; there is no other.

code-P018 = two fields exclude each other
    .what = A row has both `when` and `otherwise`, or both `after` and `before`.
    .why = Only one of them can hold.

code-P020 = this is not a name
    .what = A name is empty or contains signs that names do not have.
    .why =
        Names consist of letters, digits and `_`, so that expressions can be read; any other name needs
        backticks.

code-P021 = the format is of another version
    .what = The field `format` has a value that this program does not know.
    .why = Rows may mean something else in another version of the format.

code-P024 = a truth value stands in the place of a number
    .what = A negation, a condition, `start`, `true` or `false` stands in an expression.
    .why =
        Expressions compute numbers. A truth value selects rows by `when`, or is an argument of a procedure that
        takes one.

code-P025 = a number makes no sense in its field
    .what = A step, tolerance or other setting is outside the range that it may have.
    .why = The run could not start.

code-P028 = a list is empty that must not be
    .what = A condition without literals, a range without comparisons, an assignment without switches.
    .why = A row that always holds is written without a condition; the others would say nothing.

code-P008 = a character cannot stand here
    .what = A row, condition or expression contains a character with which nothing can begin.
    .why = Names consist of letters, digits and `_`; names with other characters need backticks.

code-P009 = a backtick is not closed
    .what = A name begins with a backtick and has none at its end.
    .why = Everything up to the next backtick belongs to the name, so its end must be marked.

code-P010 = digits that are not a number
    .what =
        Something begins like a number and does not end like one: two points, an exponent without digits,
        letters directly after a number, a decimal comma.
    .why = It could be meant in several ways, and guessing one would change the model.

code-P011 = something else was expected
    .what =
        A row breaks the grammar: a value, a sign or a name is missing, or another thing stands in its place.
    .why = The rest of the row cannot be understood without it.

code-P012 = a parenthesis has no partner
    .what = A parenthesis is opened and not closed, or closed and not opened.
    .why = The result depends on where the group ends.

code-P013 = a sign or word of another language
    .what =
        An operator or keyword from elsewhere stands where it has no meaning here: `==`, `&&`, `and`, `if`,
        `**`.
    .why =
        Most have an equivalent, which the report names. Alternatives have none in a condition: a situation may
        have several rows. Equality has none either, because computed values are hardly ever equal.

code-P014 = a comparison has more than two sides
    .what = Comparisons are chained as in `0 < h < R`.
    .why = A comparison has two sides; two comparisons are joined by `&`.

code-P015 = a row stands in the wrong list
    .what =
        A line under `ranges`, `situations`, `assignments` or `relations` is a row of another list. A range
        consists of comparisons only.
    .why = The lists are scanned one after another in every tick, so the list decides when a row is computed.

code-P016 = text follows the end of a row
    .what = Something follows that does not belong to the row.
    .why = A row says one thing; what follows would be ignored otherwise.

code-P017 = a keyword stands in the place of a name
    .what = `event`, `when`, `otherwise`, `start`, `time` and `pi` are words of the language.
    .why = The rows that use the name could not be read.

code-P019 = the sides of a row have different lengths
    .what =
        The numbers of reals, values and conditions of a row differ, or a row in columns writes several reals
        without `once: true`.
    .why =
        A row of several reals gives each a value of its own, all of them from the values before it, and has one
        condition for all of them or one for each.

code-P022 = an id or the bracket in front of a row is wrong
    .what =
        The bracket in front of a line holds an id of one word, or a place such as `after 3`, or both. An id in
        columns is one word too.
    .why = Ids tell the rows apart when a table is extended, and stand in brackets in front of a line.

code-P023 = a condition contains something else than names and comparisons
    .what = A part of a condition is a value, a group in parentheses or a negated comparison.
    .why =
        A condition is a conjunction of names, negated names and comparisons; that is what makes it possible to
        say which situations exclude each other.

code-P026 = two values stand next to each other
    .what = No operator joins two values.
    .why = A product is written with `*`; a row ends after its value or with `when` or `otherwise`.

code-P027 = a line that is not a row
    .what = A line has neither `:` nor `=` and is none of the four kinds of rows.
    .why = It says nothing that could be computed.

code-P029 = a mark stands in front of a situation
    .what =
        `noevent` and `smooth` say how event stepping treats the borders of a range, and the row is no range.
    .why = A situation has no border of its own: it turns when the ranges turn that it names.
