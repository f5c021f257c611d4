# Pages of codes: names, procedures, tables that are extended, lookups.

code-N001 = a name that nothing declares
    .what =
        A row uses a name that is no constant, real, switch, range or situation of the table or of a table that
        it extends.
    .why = A misspelt name would otherwise read a quantity that nobody computes.

code-N002 = one name for two things
    .what =
        Constants, reals, switches, ranges and situations share one set of names, and two of them have the same
        one. A situation may have several rows, a range only one.
    .why = A rule that uses the name could mean either.

code-N003 = two names that look alike
    .what = Two names differ only in letters that look the same in the Latin and the Cyrillic alphabet.
    .why = The names are different quantities although nobody can see it.

code-N004 = a word in two alphabets
    .what = A word mixes Latin and Cyrillic letters and could be read as a word of one alphabet only.
    .why = Anyone who types the name in one alphabet gets an unknown name and cannot see why.

code-N005 = a quantity that is written but not declared
    .what =
        A relation writes a real that `reals` does not list, or an assignment sets a switch that `switches` does
        not list.
    .why = Every quantity has a start value, a place in the output and a line that says what it is.

code-N010 = a constant that is written
    .what = A relation writes a quantity of `constants`.
    .why =
        Constants are what no rule writes. A quantity that rules write belongs in `reals`, where it has a start
        value.

code-N011 = a relation that writes no real
    .what = On the left of a relation stands a switch, range or situation.
    .why = Relations write reals. Switches are set by assignments, ranges and situations follow their own rows.

code-N012 = an assignment that sets no switch
    .what = An assignment sets a real, a constant, a range or a situation.
    .why =
        Assignments set switches, which keep their value until it is set again. A situation follows its rows and
        cannot be set.

code-N016 = one name for an event and a level
    .what = Some rows of a situation are marked `event` and others are not.
    .why =
        A level is true as long as its conditions hold, an event only in the instant in which they arise. One
        name cannot be both.

code-N017 = a situation that is used before it is computed
    .what = A row of a situation names a situation that has rows below it, or itself.
    .why =
        Situations are computed in written order; the value above its rows would be an old one. What has to be
        remembered is a switch.

code-N018 = two rows with `otherwise`
    .what = Two rows of one real are marked `otherwise`.
    .why = Such a row holds when no other conditional row of the real does; there is only one rest.

code-N019 = `otherwise` with nothing to differ from
    .what = A row is marked `otherwise`, but no other row of that real has a condition.
    .why =
        The row would always hold; then it needs no mark. More often the other row is missing or writes another
        real.

code-N024 = one row writes a name twice
    .what = A row names the same real or the same switch twice among what it writes.
    .why = Only one of the two values could stay.

code-N025 = a start value that needs itself
    .what =
        The start value of a quantity is an expression that leads, through other start values, back to itself.
    .why = None of them can be computed first.

code-N027 = a constant without a value
    .what = A constant in the long form has no `start`.
    .why =
        No rule writes a constant, so its value stands in the table. (A real without a start value starts at 0.)

code-N037 = a rule reads an invariant
    .what = The name of an invariant stands where a quantity or a condition is needed.
    .why = An invariant is looked at from outside: a run reports how far it drifts, and no rule depends on it.

code-N038 = a start that nothing finds
    .what = A start value is `solve(..)`, or the clock of a case asks for `start: steady`.
    .why =
        Start values are given, or found as the equilibrium of the reals that say `steady`, or of all if the
        clock of the table says so. What is solved for by a row starts with what the row gives.

code-N006 = a procedure that does not exist
    .what = A row calls a procedure that situ does not have.
    .why = `situ procedures` lists all of them with examples.

code-N007 = too many or too few arguments
    .what = A call gives more or fewer arguments than the procedure takes.
    .why = Each argument has its place; the help shows the call.

code-N008 = a condition where a number is needed
    .what = A switch, range, situation or comparison stands in the place of a number.
    .why = Conditions are true or false and take no part in arithmetic; they say when a row is active.

code-N009 = a number where a condition is needed
    .what = A constant, real or expression stands in the place of a condition.
    .why = A number is neither true nor false; a comparison of it is.

code-N013 = `:=` without an event
    .what = A row is written with `:=` (in columns `once: true`), but its condition names no event.
    .why =
        `:=` is done once, in the instant in which an event happens. While a situation lasts, or always, rows
        are equations and are written with `=`.

code-N014 = a procedure with memory at an event
    .what = The row of a procedure with memory (`integral`, `smoothing`, ..) has an event as its condition.
    .why =
        Such a procedure works through time, and an event has no duration. Only what was can be read at an
        event: `y := delay(x, 2) when half`.

code-N015 = a procedure with memory inside an expression
    .what =
        A procedure with memory (`integral`, `smoothing`, `delay`, ..) stands inside an expression instead of
        outermost in its row.
    .why =
        What it remembers is the value of the real that its row writes; inside an expression there is none. A
        coefficient stands inside: `integral(2 * a)`.

code-N020 = a coefficient that is neither number nor constant
    .what = The coefficient of a row is a real, a condition or an expression.
    .why =
        A coefficient is a number or a constant's name with a sign. A product with something that changes is the
        procedure `product`; an expression gets a name in `constants`.

code-N021 = a coefficient too many or missing
    .what =
        A row gives a coefficient to a procedure that takes none, or leaves out one that is a parameter of the
        procedure.
    .why = What the coefficient does is part of the procedure: `situ procedures NAME` says it.

code-N022 = a value that is not known before the run
    .what =
        A real or `time` stands where the value must be known before the run: in a start value, in the period of
        `every`.
    .why =
        Such a value is computed once. Start values may use constants and other start values, the others
        constants only.

code-N023 = several reals by a procedure other than `assignment`
    .what = A row in columns writes several reals, but its procedure is not `assignment`.
    .why = Only assignments at an event write several reals at once, each with a value of its own.

code-N026 = a setting of the wrong kind
    .what =
        A case or `--set` gives a switch a number other than 0 and 1, a constant or real `true` or `false`, or
        names a range or situation.
    .why =
        Constants and reals start as numbers, switches as `true` or `false` (0 and 1 stand for them, as in the
        output); ranges and situations are computed from them.

code-N035 = a period that is not above zero
    .what = The period of `every` is zero or negative.
    .why = Events with no time between them would never let time go on.

code-N080 = the past of a real reads another real
    .what = `before` says what a real was before the start, and reads a real.
    .why =
        Before the start nothing was computed: reals have the values there that their own `before` gives, at any
        time. It may use `time`, constants and lookups.

code-N081 = the rate of a real some time ago
    .what = A delay takes in `rate(x)`.
    .why =
        Equations whose rates depend on rates of the past, of neutral type, carry every jump of a rate on for
        ever, and are not supported as such. A rate that has a row of its own is a real like any other and may
        be delayed.

code-R013 = a delay below zero
    .what = The length of a delay is an expression, and has come below zero.
    .why = The row would read the future. At zero it reads the present.

code-N028 = a table that cannot be read
    .what = The table named after `extends` cannot be read.
    .why = The path is relative to the file in which it is written.

code-N029 = tables that extend each other in a circle
    .what = A table extends itself through others, or the chain of tables is longer than 64.
    .why = There would be no first table to begin with.

code-N030 = two rows with one id
    .what =
        Two rows of a list have the same id, in one table or in a table and the one that it extends. A row
        without an id is called by its number.
    .why =
        Ids say which row is meant, in `replace`, in messages and at the prompt. A row that takes the place of
        another says so in `replace`.

code-N031 = a row that does not exist
    .what = `replace`, `drop`, `after` or `before` names a row that is not there.
    .why = Rows are named by their id, ranges and situations also by their name; `situ show` lists them.

code-N032 = an id that may mean several rows
    .what =
        `replace` or `drop` names a row by an id that rows of several lists have, or by a name that several rows
        define.
    .why =
        An id alone means a relation. Rows of other lists are named with their list in front, as in
        `situations.2`.

code-N033 = a row that nothing replaces
    .what =
        `replace` names a row, but no row of the table has that id; or a row is named twice in `replace` and
        `drop`.
    .why = A row is replaced by the row with the same id. A row that should only be removed belongs in `drop`.

code-N034 = rows placed beside each other in a circle
    .what = Two or more rows are placed `after` or `before` one another, so that none of them has a place.
    .why = One of them must stand beside a row that has a place already.

code-N036 = a table without its format
    .what = The table does not say `format: 1`.
    .why = The number tells later versions of the program how to read the table.

code-N060 = points of a lookup that make no function
    .what =
        The arguments of a lookup do not ascend, one stands there twice, columns differ in length, or a map
        lacks a point.
    .why =
        Between two points the next argument decides; points out of order are most often rows that were pasted
        in the wrong place, and two values at one argument are two functions.

code-N061 = a cell of a lookup that holds no number
    .what =
        A cell of a lookup's column or region is blank, holds text, a date, a truth value, an error or a formula
        whose value was not stored, or is part of merged cells. Or a row of a text file has more fields than the
        first row has names, as where numbers have a decimal comma. The report names sheet, row and column.
    .why =
        A point that is left out in silence would change the function. Blank cells below the last point are no
        mistake.

code-N062 = a file of a lookup that cannot be read
    .what =
        The file, its sheet or the column that a lookup names does not exist or cannot be read. Paths are
        relative to the table.
    .why =
        Columns are found by the names in the first row of the sheet that is not blank, or given as a region
        such as `B2:B20`.

code-N063 = a lookup without its argument
    .what = The name of a lookup stands where a number is needed.
    .why = A lookup is a function: it has a value at an argument.

code-N064 = a lookup that is not complete or contradicts itself
    .what =
        A lookup lacks its points, names a column without a file, gives a map another kind than `linear`, has
        the name of a procedure, or another number of units than columns.
    .why = A lookup is given by `x` and `y`, and `z` of two arguments: columns of a file, or numbers in place.
