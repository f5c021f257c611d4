# The command line: what commands and options do.

usage-any =
    .help = Print help (see a summary with '-h')
    .log = Log what the program does: a level, or `situ::rules=debug` for rule firings
    .max_table = Longest table that is read [bytes, default: 1G]
    .color = Whether reports and pictures have colours
    .lang = Language of what is printed [default: the one of the environment, `LANG`]
    .table = The table; `-` reads standard input
    .case = Use a case of the table
    .set = Change a constant, a start value or a switch; may be repeated
    .step = Length of a tick, and of a step of a method with fixed steps [units of time]
    .stop = End of the run [units of time]
    .every =
        Distance of output rows [units of time]; in ticks a multiple of the step [default: a row per tick; 1000
        rows of a run with events]
    .unit = Unit of the time, in which all times of the table are
    .events = Locate every event instead of ticking: exact in time, see `--method` and `--rtol`
    .ticks = Tick, also if the table asks for events
    .scan = Which values the rows of a tick see [default: sequential]
    .integral = Formula of the procedure `integral` in a tick [default: rectangle]
    .max_steps = Most ticks or steps; a run that needs more ends with an error [default: 1e9]
    .max_rows = Most rows; a run that has more ends with an error [default: 1e10]
    .locate = How an event is located in a step or a tick [default: ticks `none`, events `root`]
    .step_formula =
        Length of each tick, or step of a method with fixed steps, read where it begins, e.g. `min(h, 1) * 0.01`
    .stop_when = The run ends after the first row in which this holds, e.g. `h < R & Vy > 0`
    .engine = Interpreted or native code; the results are the same to the last bit [default: auto]
    .fast_math = Native code that divides and rounds faster: last digits of ticks change
    .curves =
        Columns to draw: `h,Vy` over time, `x:y` for y against x [default: the first six reals that are integrated or
        smoothed, of a table without any its first six, and booleans]
    .log_axis = Quantities with a logarithmic axis: `h,p`
    .plot = Draw into a file: .svg or .png [default: the terminal]
    .map = Draw a family as a map: index over time; of a grid a map at each time of --at
    .profile = Draw the values of a family over its index, at each time of --at
    .at = Times of a profile or of the maps of a grid, e.g. `0,1,5` [default: five times; the end]
    .measure = Measure a number, e.g. `max(h)`; may be repeated
    .method = Integration method between events [default: auto]
    .rtol = Relative tolerance of a step [default: 1e-6]
    .atol = Absolute tolerance of a step, in the unit of each real [default: rtol / 1000]
    .h0 = First step, and the step of a method with fixed steps [units of time] [default: chosen by the method]
    .hmin = Shortest step [units of time] [default: 0]
    .hmax = Longest step [units of time]
    .max_events = Most event instants; a run that has more ends with an error [default: 1e7]
    .quiet = Print nothing but errors
    .json = Print as JSON
    .version = Print version
    .usage = Usage:
    .commands = Commands
    .options = Options
    .arguments = Arguments
    .any-options = [OPTIONS]
    .any-command = [COMMAND]
    .by-default = [default: { $value }]
    .values = [possible values: { $names }]
    .all-values = Possible values:
    .examples = Examples:
    .event-stepping = Event stepping
    .scene = Scene

usage-situ = Runs, checks, formats and plots rule tables
    .after =
        Exit status: 0 done, 1 the run failed, 2 the command line or the table is wrong, 3 not supported, 4 a
        run did not come to what `test` expects of it, 130 interrupted.

usage-run = Run a table: sum up the run and draw it, write its rows
    .vars = Columns to write and draw: constants, reals, booleans and expressions [default: reals and booleans]
    .out = Write the rows into a CSV file; `-` is standard output
    .live = Draw curves and situations in the terminal while the run goes on; Ctrl-C ends it
    .no_plot = Do not draw
    .record = Write what was run and the hash of its rows into a file, as JSON
    .report = Write a page about the run: curves, events, measures, the table and what was run, in one HTML file
    .save_state = Save the state at the end of the run, for --from
    .save_every =
        Save the state during the run, too, at this interval; the last two states are kept, the older one as
        FILE.before [units of time]
    .from = Continue a saved run of the same table and settings, with the same bits
    .deny = End with status 1 if there are warnings about the table or the run
    .quiet = Print nothing but errors, the rows and what is measured
    .json = Print the summary as JSON
    .event_log = Write what happened at every instant into a CSV file; `-` is standard output
    .grid = Rows on the grid of --every only, not on both sides of every instant
    .frame = Draw the scene at a time into a file: .svg or .png; may be repeated
    .animate = Draw the scene in motion into a file: .svg, .gif or .png (APNG)
    .speed =
        Units of time that pass in a second of --animate [default: 1 if it then takes 2 to 30 s, or else such
        that it takes 10 s]
    .fps = Pictures in a second of --animate
    .after =
        Measures: final(x), min(x), max(x), drift(x), at(x, T), first(COND), duration(COND), count(COND),
        period(COND), where x is an expression and COND a condition. In a tick run measures include the first
        row, where a real that a row computes still has its start value: measure what it is computed from,
        min(x2 - x1), or give it that start, "gap": (start: "x2 - x1").

usage-repl = Step a table at a prompt: go forward and back, ask why, change rules during the run
    .table = The table to load
    .execute = Run a command and exit; may be repeated
    .reference = Print the reference of all commands
    .json = Answer each command with one line of JSON
    .strict = End at the first command that fails
    .echo = Show the prompt and each command before its answer, as in a terminal
    .no_history = Neither read nor write the history of lines
    .after =
        Without -e, if standard input is not a terminal, its lines are commands. Exit status: 0, or that of the
        first command that failed: 1 a run, 2 anything else.

usage-open = Show a table in a browser: its text, curves, reasons, and what can be turned
    .what = A table, or a folder with tables [default: the current folder]
    .no_browser = Print the address and open no browser
    .port = The port [default: a free one]
    .once = End when the page is closed
    .after =
        The page comes from a server on this machine that nobody else reaches; it sees the folder of the table
        (or the one above that holds what the table builds on) and what is below. Ctrl-C ends it.

usage-check = Check a table without running it
    .deny = End with status 2 if there are warnings
    .thorough = Answer hard questions too, however long it takes
    .json = Print the reports as JSON
    .fix = Write factors into rows whose units differ by one, and check what comes of it

usage-fmt = Format tables, one row per line; comments and meaning are kept
    .tables = The tables, rewritten in place; `-` formats standard input to standard output
    .check = Change nothing; end with status 1 if something would change
    .rows = Write all rows in columns
    .lines = Write all rows as lines
    .json = Print as JSON which tables change

usage-plot = Draw runs that were written to CSV files
    .files = Files written by `situ run --out`; `-` reads standard input. With --lookup: the table
    .table = The table that was run, for units and descriptions
    .lookup = Draw a lookup of a table, with its points
    .json = Print as JSON what is drawn

usage-report = Run a table and write a page about it: one HTML file that needs nothing else
    .out = The file that is written, its name ending in .html
    .curves = Columns to draw: `h,Vy` over time, `x:y` for y against x [default: reals and booleans]
    .log_axis = Quantities with a logarithmic axis
    .quiet = Print nothing but errors and what is measured

usage-show = Show a table as the program understands it: quantities, rules with their ids
    .markdown = Print the relations as a Markdown table with the columns of the paper's editor
    .json = Print the model as JSON
    .expand = Print the table with its base, families, parts, machines and reactions written out as one
    .set = Change a constant or start value, `N=800`; may be repeated
    .case = Use one of the table's cases

usage-graph = Print the dependencies of a table as a graph
    .of = What is shown
    .format = Output format
    .json = Print nodes and edges as JSON

usage-coverage = Run a table and tell which rules fired and which situations it visited

usage-profile = Run a table and tell where the time goes: rules, modes, events, and what keeps steps short

usage-compare = Run a table in two ways and tell where the results differ
    .against = What is different in the second run; may be repeated
    .each = Print every change with its time in either run
    .after =
        Settings for --against: `stepping=tick|events`, `order=written|reversed`, any option above by its name
        (step, locate, method, rtol, engine, ...), and any constant, start value or switch. Values between the
        two times of a change that both runs have are not compared, nor are those at the start where one run
        ticks and the other does not: no row has computed anything before the first tick.

usage-converge = Halve the step or divide the tolerance by 10 repeatedly, and tell how fast the results converge
    .runs = Number of runs

usage-sweep = Run a table many times with different values and write a table of measures
    .over =
        What varies: `NAME=from..to/points`, `NAME=value,value`, or `NAME~distribution(..)` with uniform,
        normal, lognormal or triangular; of a switch true and false; may be repeated
    .parameters = What varies, as a CSV file: a column per constant, start value or switch, a line per run
    .runs = How often values are sampled from distributions
    .sample = How values are sampled from distributions
    .seed = Seed of the sampling
    .measure =
        Measure a value of each run, as `situ run --measure`; may be repeated [default: the final value of every
        real in the output]
    .out =
        Where the table of results goes: a CSV file, or Parquet if its name ends in .parquet; `-` is standard
        output
    .trajectories = Write all rows of all runs, too, as a Parquet file; `every` in the clock thins them out
    .plot =
        Draw the measures into a file, .svg or .png: curves over one value, a map over two, histograms where
        values are sampled from distributions [default: the terminal, if the table goes to a file]
    .no_plot = Draw nothing
    .resume = Continue an interrupted sweep in its file
    .threads = Number of threads [default: one per core]
    .json = Print the results as JSON; if the table goes to a file, without its rows
    .after =
        Exit status: 1 if a run failed. Its line says why in the column `fault`, and the other runs are done all
        the same.

usage-test = Run tables and hold them against their `expect`, and do session scripts
    .paths = Tables, session scripts and folders
    .after =
        Exit status 4: a run did not come to what is expected of it. A table or script that cannot be run counts
        as one that failed. Exit status 2: there is nothing to test.

usage-lab = Do the exercise of a table: predict numbers, run it, compare
    .predict = A prediction, `x[1]=1.01`; may be repeated
    .out = Write the log into a CSV file
    .json = Print as JSON, in both languages

usage-emit = Print a stage between text and run: the tree, the model or the tape
    .stage = The stage

usage-procedures = List the procedures a relation may call, or explain one
    .name = Name of a procedure
    .json = Print them as JSON

usage-explain = Explain a diagnostic code, with a bad and a repaired table
    .code = The code, as in `error[N001]`; without it all codes are listed
    .json = Print the page as JSON, or all of them

usage-new = Write a small table that runs, to start from
    .name = Name of the model or of its file
    .template = Kind of model to start from [default: the one that the name of the file holds, or else ball]

usage-import = Make a table of a Mermaid state diagram: its states and transitions as a machine
    .diagram = The diagram; `-` reads standard input
    .after = Labels of transitions read `condition: x := value; y := value`, lines of states are rows.

usage-completions = Print completions for a shell
    .shell = The shell

usage-help = Print this message or the help of the given subcommand(s)
