# The page of a run; `..` in backticks becomes code.

html-a-run = a run
html-results = Results
html-curves = Curves
    .out = zoom out
    .in = zoom in
    .all = Whole run
    .none = The table has nothing to draw.
    .label = curves and timeline; arrow keys move the cursor
    .hint = Point at a curve to read its values, drag across it to zoom in, double-click to see the whole run; on a keyboard the arrows, + and −, 0.
    .script = Curves need JavaScript, which is switched off.
    .undrawn-reals = { $n_drawn } of { $n } are drawn; `--curves` chooses.
    .undrawn-integrated = { $n_drawn } of { $n } are drawn, those that are integrated or smoothed; `--curves` chooses.
    .undrawn-first-integrated = { $n_drawn } of { $n } are drawn, the first that are integrated or smoothed; `--curves` chooses.
    .undrawn-booleans = { $n_drawn } of { $n } booleans stand in the timeline; `--curves` chooses.
html-rows-apart = Rows are { $apart } apart: what changed between two of them stands at the later one, and an event that fired there is one line however often it did. The situations below count every tick.
html-events = Events
    .find = find
    .filter = show rows that contain
    .time = time
    .what = what
    .to = to
    .row = row
    .remark = remark
    .more = { $n } more; `situ run --event-log FILE` writes all of an event-accurate run.
html-values = Values
html-situations = Situations
html-name = name
html-kind = kind
html-kind-of = { $kind }
html-never-fired = Rows that never did anything
html-table = Table
html-run = What was run
    .table = table
    .points = points
    .options = options
    .clock = clock
    .program = program
    .rows = rows
    .rows-of = { $rows } of { $columns }
    .again = The same table with the same settings gives the same rows, to the bit: `situ run --record FILE` says their hash again.
html-ended = { $ended }
html-not-met = not met
html-more =
    { $n ->
        [one] and 1 more { $noun }
       *[other] and { $n } more { $noun }s
    }
html-too-long = The text is too long to be shown: { $n } bytes.
html-line = line { $line }
html-here = here: { $text }
html-script =
    .over-time = { $names } over time
    .against = { $y } against { $x }
    .timeline = timeline of situations and events
    .show = show this time in the curves
    .found = { $n } of { $all }
