# Commands of the prompt: what each does in one line, and its help.

command-load = Load a table and stand at its start
    .help =
        Stops, displays and marks stay. In a script the hash says which texts it was, with those that the table
        extends: others are refused, since the lines that follow would lead elsewhere.

command-reload = Read the file again, and go on from the present state with what it says now
    .help = For a table that is edited beside the session. Edits made here are left; `undo` brings them back.

command-check = Show all that is suspicious in the table
    .help = After an edit only what is new is shown.

command-graph = Show which values a value is made from, as a tree; or the whole graph in DOT
    .help = A value that stands above already is not taken apart again.

command-case = Begin again with a case of the table; without a name, list the cases

command-table = Show the text of the table as it was edited

command-rewrite = Put another text in the place of the table's, and go on with it from the present state
    .help =
        The text stands in quotes as in JSON, with `\n` for the ends of its lines. Names that both texts have
        keep their values.

command-step = Do one step, or N
    .help =
        A step is a tick; in event stepping a step of the method, cut at the next event. An empty line does the
        last step again. In the past the known steps are done again, to the same bits.

command-next = Run to the next event: until a range, situation or switch changes, or an event fires
    .help = With a number, to the Nth from here. Stops at the table's `stop`.

command-run = Run to the end, for a while, to a time, or until a condition arises
    .help =
        Without anything it runs to the table's `stop`. `until` stops at the first step in which the condition
        holds and did not hold in the step before, at the latest at that `stop`, or if that is in the past goes
        on without one. Ctrl-C stops at a step, with the state whole.

command-finish = Run to the table's `stop`, past all that runs stop on
    .help = Stops stay as they are, for the next run.

command-reset = Begin again at the start, with the table as it is now
    .help =
        Constants that were set keep their values. What was run before is left; `undo` brings it back, a branch
        keeps it.

command-knobs = List what `rerun` and `set` can change: constants, start values, switches, with a range for each
    .help = The range is that of the table, `range: (0.5, 5)`; else it is a guess: from zero to twice the value.

command-rerun = Begin again with other values or settings, and run as far as it was run before
    .help = As `goto start`, a `set` for each value, and `run to` in one; an `undo` takes it back.

command-back = Go back one step, or N; to where a condition arose; to where a value changed
    .help =
        Nothing has to be switched on before, and nothing is lost: `step` and `run` go through what is known
        again. A `set` or a rule in the past begins another future; `undo` brings back the one that was left.

command-goto = Go to a time of the past or the known future, to a mark, to the start or the end
    .help =
        At a time between two ticks, the tick before it; in event stepping the state at that very time, which
        leaves no trace.

command-mark = Give the present time a name, for `goto`

command-marks = List the marks

command-break =
    Stop runs where a condition arises, a rule becomes active, a value changes, at a time, near a border
    .help = With `once` it goes away when it has stopped a run. A run through the known past stops too.

command-watch = Stop runs where a value changes, and show it at every stop
    .help = Without a name it lists what runs stop on. `display NAME` shows a value and stops nothing.

command-stops = List what runs stop on; switch one on or off

command-delete = Take away something that runs stop on

command-print = Show values of expressions, or whether conditions hold; without the word too
    .help = With a time, as it was then: `h at 0.5`. `_` stands for the last number that was shown.

command-display = Show an expression at every stop; without one, list them
    .help = `display off` takes all of them away, `display off EXPR` one.

command-state = Show the present value of everything

command-events = List the last N changes of booleans and events before the present time
    .help = 10, if nothing is said.

command-margins = Show how far every range is from turning
    .help =
        The margin of a comparison is the difference of its sides: positive while it holds. A range has that of
        the comparison nearest to failing. Numbers and truth are those that the last step found, as in `why`.

command-tight =
    List the N events of the past that were decided by least: where another range was next to its border
    .help =
        5, if nothing is said. Beside each event stands the range that did not turn then and was nearest to it,
        as a part of what it compares. A small change of the table may turn what happens there.

command-summary = Run the table as it stands from its start, and sum that run up, as `situ run` does
    .help =
        To its stop, or, without one, to the present time: the work that was done, reals at the start and at the end,
        for how long situations held, how often events fired, measures such as `max(h)` or `first(contact)`, how far
        invariants drifted, whether the table's expectations were met, and rows that never acted. The session stays where it
        is.

command-converge = Run the table N times with ever smaller steps or tolerances, and tell how fast the results converge
    .help =
        4 times, if nothing is said, as `situ converge` does: the step is halved, the tolerance divided by 10. What is
        run is the table as it stands, to its stop or, without one, to the present time. The session stays where it is.

command-rules = List the rules with their ids; those that contain a text, or fit `V*`
    .help =
        A mark before the id says that the rule was active in the last step. Rows that are set aside stand at
        the end.

command-vars =
    List constants, reals and booleans with their present values; those that contain a text, or fit `V*`

command-show = Show what a name is: definition, value, the rules that write and read it; or a rule

command-why = Say why a value is what it is, or why a boolean does not hold and when it is going to
    .help =
        Of a boolean: what it follows from, down to ranges and numbers with margins; `+` stands before what
        holds, `-` before what does not. Of a real: the rule, what it read, and since when. `why not` lists what
        fails, nearest first, and runs ahead on a copy to see when each part turns, if nothing is changed.

command-expect = Fail, and say why, if a condition does not hold where the run stands
    .help = For session scripts: `situ test` does them, and one fails at the first command that fails.

command-blame = Say how much each rule moved a real, from a time on; the parts sum up to the change
    .help =
        An integral moves its real by what it adds. A rule that writes a value anew moves it by the difference
        to what was written before; one that adds to that in the same tick, by the change of what it adds.

command-trace = Show the history of a value: of a boolean when it turned, of a real which rules wrote it when
    .help = Of a long history the first and the last 20 lines are shown; with `all`, all of them.

command-coverage = Show which rules were active how often up to here, and which never
    .help = Over the whole line of history up to the present time, rows by what they say.

command-set = Give a constant, a real or a switch another value, or change a setting of the run
    .help =
        At the start it changes start values, and all that is computed from them follows, as with `situ run
        --set`. Later it changes the present value only. The table is not changed: `constant` and `real` do
        that.

command-add = Add a rule to the table; a rule alone does too
    .help =
        Without a place it stands at the end of its list. The place matters: rows go in written order. A value
        that a rule needs is declared by `real`, `constant` or `switch`.

command-replace = Put another rule in the place of a row; it keeps the id
    .help = A row of a table that is extended is replaced in the table at hand.

command-drop = Take a row out of the table
    .help = A row of a table that is extended goes into the list `drop` of the table at hand.

command-move = Move a row to another place of its list
    .help = Order has a meaning: a row reads what the rows above it have just written.

command-disable = Set a row aside: it stays in the file as a comment and does nothing
    .help = `enable` brings it back.

command-enable = Bring back a row that was set aside

command-rename = Give a name of the table another one, wherever it stands
    .help = The run goes on as it was. What stops it, what is shown and what was set get the new name too. A family is renamed as a whole, a state of a machine as `door.open`; a name that another table declares is renamed there.

command-real = Declare a real, or change its start, unit or description in the table
    .help =
        In mid-run it begins with its start expression over the present values. `hidden` keeps it out of the
        output.

command-constant = Declare a constant, or change its value in the table

command-switch = Declare a switch, or change its start in the table

command-invariant = Name a quantity that should not change; without one, say how far each has drifted
    .help = The drift is the largest distance from the value at the start, looked at after every step.

command-title = Give the table a name, or say what it is about or where it comes from
    .help = Without a word in front, the name.

command-undo = Take back the last command that changed something, or the last N: steps and edits alike

command-redo = Do again what `undo` took back
    .help = A command that changes something ends it.

command-branch = Keep the present line of history under its name and go on in a new branch; or list branches
    .help = A branch has its own table and its own past.

command-checkout = Go to another branch, where one stood in it last

command-compare = Compare two branches at the time to which both were run; B is the present one
    .help = Shows the reals at that time, and the greatest distance of each over the time that both have.

command-plot = Draw values over time, or against another, up to the present time
    .help = Without names, what the model integrates, and its booleans.

command-timeline = Draw when ranges, situations, switches and events held, up to the present time

command-export = Write the rows of the past, up to the present time, into a CSV file
    .help =
        Every step is a row. Without names, all reals that are not hidden, and all booleans. A name that a part
        of the past does not have reads NaN there.

command-curves = Show values over the known past and future in N parts: of each part the least and the greatest
    .help =
        What a picture N pixels wide shows of a run of any length; 20, if nothing is said. Of booleans the times
        at which they turn, of events those at which they fire. `whole` keeps rows together, for one value
        against another.

command-frames = Draw the scene over the known past and future, as data, in N pictures
    .help = 300, if nothing is said. `situ run --frame` and `--animate` write them into files.

command-lab = Show the exercise of the table, or the log of predicted and obtained numbers
    .help =
        Predictions are compared with a run from the start to the time up to which it was run; `> FILE.csv`
        writes the log.

command-save = Save the table as it was edited, or the session as a script
    .help =
        A saved table keeps the author's layout and comments wherever nothing was changed. Without a name it
        goes over the table that was loaded, about which you are asked the first time; `save!` asks nothing, as
        in scripts. A script does again, line by line, what `undo` could take back; `read FILE.situ` or `situ
        repl < FILE.situ` ends in the same state, bit for bit, or says which table has been changed since.

command-read = Do the lines of a script, up to the first that fails
    .help = Lines that begin with `#` are remarks.

command-history = List the last N commands that changed something: what `undo` takes back, last first
    .help = 20, if nothing is said.

command-help = List the commands, or explain one

command-quit = End the session
    .help = Ctrl-D on an empty line does too.
