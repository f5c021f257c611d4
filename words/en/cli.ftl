cli-writing =
    .cannot-write = cannot write { $name }: { $error }
cli-reading =
    .cannot-read = cannot read { $name }: { $error }
cli-writes =
    .cannot-write = cannot write `{ $path }`: { $error }
    .would-write-over = { $what } would write over `{ $path }`, which is read
    .both-write = { $other } and { $what } both write `{ $path }`
cli-followed =
    .links-lead-circle = its links lead in a circle
cli-standard =
    .closed = it is closed
cli-from-str =
    .number-bytes-needed = a number of bytes is needed, like 64M or 4G
cli-open =
    .cannot-serve = cannot serve the page: { $error }
    .server-ended = the server has ended: { $error }
    .not-regular-file = it is not a regular file
cli-too-long =
    .longer-than-bytes = it is longer than { $most } bytes; --max-table allows more, up to 4G
cli-endings =
    .writes-not-what = { $what } writes { $format }, not what `{ $path }` says; end the name in { $endings }
cli-standing =
    .what-held-before = what held before: { $standing }
cli-check-stdout =
    .both-write-standard = { $names } both write to standard output
cli-standard-output = to standard output
cli-tell-undrawn =
    .drawing-curves-chooses = drawing { $n_drawn } of { $n }; --curves chooses
    .drawing-integrated = drawing { $n_drawn } of { $n }, those that are integrated or smoothed; --curves chooses
    .drawing-first-integrated = drawing { $n_drawn } of { $n }, the first that are integrated or smoothed; --curves chooses
cli-tell-missed =
    .lie-outside-run = { $times } of --at lie outside of the run
cli-every =
    .save-every-must = `--save-every` must be positive and finite, not { $time }
cli-load =
    .not-state-written = { $name } is not a state written by `--save-state`, or a damaged one
    .been-changed-since = { $name } is damaged: it is not as it was written; take an older state, such as the FILE.before of `--save-every`, or run from the start
    .belongs-another-run = { $name } belongs to another run: { $what } was { $there } there and is { $here } here; a state continues with the same settings only
    .cannot-continued = { $name } cannot be continued: { $fault }
    .after-stop-give = { $name } stands at { $time }, after the stop { $stop }; give a later --stop
cli-not-saved = the run failed: its last state is not written to { $name }
cli-difference =
    .another-text = another text
    .other-points-lookups = other points of lookups
    .not-given = not given
cli-parse =
    .name-film-ends = the name of a film ends in .svg, .gif or .png
    .name-picture-ends = the name of a picture ends in .svg or .png
cli-wanted =
    .frame = --frame: { $error }
    .draws-scene-table = { $option } draws the scene of a table, and this table has none: add `scene: (view: (..), rows: [..])`
    .must-above-zero = { $option } must be above zero
    .fps-must-most = --fps must be 100 at most
    .belongs-profile-map = --at belongs to --profile, and to --map of a grid
cli-draw =
    .ended-t = ended at t = { $end }
    .begins-t = begins at t = { $time }
cli-film =
    .animate-would-draw = --animate would draw { $frames } pictures, and { $MOST_FRAMES } are the most: raise --speed
cli-outside =
    .frame-run-not = --frame { $time }: the run { $why }, { $file } is not written
cli-at =
    .view-scene-no = the view of the scene has no extent at t = { $time }
cli-tell-left-out =
    .families-more-than = families with more than { $MOST_ELEMENTS } elements are not written: { $large }; --vars '{ $first }[1..10]' asks for some
cli-tell-not-finite = `{ $name }` has no finite value at t = { $time }: in such places the rows have `inf`, `-inf` or `NaN`
cli-log-axes =
    .log-axis-not = --log-axis: `{ $name }` is not drawn along an axis
cli-tell-gaps =
    .not-above-zero = `{ $name }` is not above zero everywhere: its logarithm has gaps
    .infinite = `{ $name }` is infinite in places: the picture has gaps there
    .no-number = `{ $name }` is no number in places: the picture has gaps there
cli-draw-lookup =
    .lookup-takes-table = `--lookup` takes one table
    .table-none = the table has none
    .table = the table has `{ $names }`
    .no-lookup = no lookup `{ $name }`: { $known }
cli-draw-family =
    .map-profile-draw = --map and --profile draw one run
cli-first-columns =
    .drawing-columns-curves = drawing { $MOST } of { $n } columns; --curves chooses
cli-standard-input = standard input
cli-refused =
    .cannot-read-run = cannot read { $name } as a run: { $error }
    .table-no-step = the table has no `step`; give one with --step
    .table-no-stop = the table has no `stop`; give one with --stop
cli-table =
    .situ-check-takes = `situ check` takes more time and looks further
cli-in-one-line =
    .did-you-mean = { $line }; did you mean `{ $near }`?
    .it-is-one = { $line }; it is one of { $known }
cli-change =
    .not-name-value = `{ $text }` is not NAME=VALUE
    .order-written-reversed = `order` is `written` or `reversed`, not `{ $value }`
    .stepping-tick-events = `stepping` is `tick` or `events`, not `{ $value }`
cli-warn =
    .run-ends-not = the run goes up to { $end }: { $stop } is not a multiple of the step { $step }
cli-option-unused =
    .in-ticks = `--{ $option }` has no part in ticks: it is for `--events`
    .in-events = `--{ $option }` has no part in event stepping: it is for `--ticks`
cli-unknown-case =
    .no-cases = it has no cases
    .it-has = it has { $x }
    .table-no-case = the table has no case `{ $name }`; { $hint }
cli-number =
    .number-needed-like = a number is needed, like 0.5 or 1e-3
cli-whole =
    .whole-number-needed = a whole number from { $from } on is needed, like 16 or 1e3
    .whole-number-needed-2 = a whole number from { $from } to { $to } is needed
cli-run =
    .fix-changes-file = `--fix` changes a file, and this table is read from standard input
    .fix-wrote = `--fix` changed line { $line } of { $table }: { $text }
    .thorough-answers-them = `--thorough` answers them, however long it takes
cli-counts =
    .nothing-found = nothing found
cli-time =
    .time-needed-like = a time is needed, like 0.5 or 1e-3
cli-table-alone =
    .table-no-command = `{ $table }` is a table and no command; `situ run { $table }` runs it, `situ check { $table }` checks it
cli-checked =
    .fast-math-belongs = --fast-math belongs to native code; leave out --engine interpreter
    .fast-math-belongs-2 = --fast-math belongs to tick stepping; add --ticks
    .ticks-changing-length = ticks of changing length have no native code
cli-new =
    .live-draws-terminal = --live draws in a terminal, and standard output is none
cli-start =
    .log-filter-cannot = the log filter `{ $filter }` cannot be read: { $error }
cli-interrupted = interrupted

cli-lists-codes = `situ explain` lists all codes
cli-no-code = there is no code `{ $code }`; { $hint }
cli-not-formatted = { $path } is not formatted
cli-cannot-format = { $path } cannot be formatted: its meaning would change; nothing is written
cli-names-no-file = { $name } names no file
cli-exists-already = { $path } exists already
cli-no-procedure = there is no procedure `{ $name }`; { $hint }
    .list = `situ procedures` lists them
cli-case-left-out = the case `{ $name }` changes the number of elements and is left out: `--case { $name }` writes it out
cli-nothing-to-expand = the table has neither a base, families, parts, machines nor reactions: it is shown as it stands
cli-no-browser = no browser could be opened: open the address above in one
cli-neither-folder-nor-table = { $name } is neither a folder nor a table
cli-greeting = situ: `help` lists the commands, Tab completes, Ctrl-D quits
cli-needs-events = { $option } belongs to event stepping; add --events
cli-no-exercise = the table has no exercise: add `lab: (predict: {"{"}..{"}"})`
cli-resume-needs = --resume needs the file of the sweep: --out FILE
cli-ran = { $ran ->
        [one] 1 run
       *[other] { $ran } runs
    }
cli-ran-more = { $ran ->
        [one] 1 run more
       *[other] { $ran } runs more
    }, { $all } in all
cli-nothing-drawn = nothing is drawn: no measure has two values
cli-measure-not-drawn =
    .few = `{ $name }` is not drawn: it has fewer than two values
    .surplus = `{ $name }` is not drawn: a picture has place for six measures
cli-varies-twice = `{ $name }` is to vary in two ways
cli-not-sampled = to sample from a distribution, say how often: --runs N
cli-nothing-sampled = --runs says how often distributions are sampled, and there is none: --over 'NAME~normal(3,0.1)'
cli-procedures =
    .procedure = procedure
    .gives = gives
    .memory = memory
    .yes = yes
    .argument = argument
    .is = is
    .may-be = may be
    .expression = any expression
    .condition = a condition
    .left-out = { $kind }, or left out: { $value }
    .coefficient = Coefficient
    .has-memory = Has a memory from tick to tick: it must be the outermost call of a row, and not at an event.
    .with = { " " }with { $given }
    .after = { " " }after { $ticks } of { $dt }
    .example = { $line }{ $given } gives y = { $result }{ $after }
cli-coefficient =
    .scales-first = multiplies the first argument
    .scales-both = one for each argument, multiplies it
    .scales-result = multiplies the result
    .parameter = is the parameter { $name }, given last in a call
    .unused = none
cli-built-without = this program has been built without { $feature ->
        [native] native code
        [parquet] Parquet
       *[png] pictures in pixels
    }; `cargo install --path repl --features { $feature }` builds one that has it
cli-open-without-page = this program has been built without the page; where its sources are, two commands bring it: `cargo run -p situ-page --bin bundle` and `cargo install --path repl --features page`
cli-ctrl-c = Ctrl-C cannot be caught: { $error }
cli-left = { $eta } left
cli-at-line = { $place }, line { $line }: { $why }
cli-wrote = wrote { $names }; run it with `situ run { $path }`
cli-and = { " " }and{ " " }
cli-or = { " " }or{ " " }
cli-to-standard-output = to standard output
cli-format =
    .csv-or-parquet = CSV or Parquet
    .state = the state of a run
    .rules = a rule table
cli-terminal =
    .unusable = the terminal cannot be used: { $error }
    .history = the history cannot be written: { $error }
cli-live = t = { $at } of { $end } ({ $done } %)
cli-lab =
    .name-number = write it as NAME=NUMBER
    .asks = it asks for { $names }
    .not-asked = --predict: the exercise does not ask for `{ $name }`; { $help }
cli-test =
    .cannot-run = it cannot be run
    .expects-nothing = it expects nothing
    .nothing = there is nothing to test: no table that expects something, and no session script (`.situ`)
    .line = line { $n }: { $line }
    .ok = ok      { $path }
    .failed = FAILED  { $path }
    .files = { $n ->
        [one] 1 file
       *[other] { $n } files
    }
    .expectations = { $n ->
        [one] 1 expectation
       *[other] { $n } expectations
    }
    .unchecked = { $n ->
        [one] its expectation could not be checked
       *[other] none of its { $n } expectations could be checked
    }
    .all-passed = all passed
    .n-failed = { $n ->
        [one] 1 file failed
       *[other] { $n } files failed
    }
