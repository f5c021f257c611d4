# Answers of commands, and why a line cannot be done.

console-back-needs-more = `back { $word }` needs more
    .help = say `back until h < R` or `back change h`

console-not-changed-before = `{ $name }` has not changed before

console-not-arisen-before = `{ $rest }` has not arisen before

console-interrupted = interrupted

console-goto-needs = `goto` needs a time or a mark
    .help = say `goto 0.5`, `goto start` or the name of a mark

console-mark-needs = a mark needs a name
    .help = say `mark before`

console-no-marks = no marks

console-this-is-the-start = this is the start

console-mark-is = `{ $args }` is t = { $time }

console-beside-in-another-list = row `{ $id }` stands among the { $list }, the new one goes to the { $field }

console-declares-it = `real { $name } = 0` declares it

console-is-constant = `{ $name }` is a constant, which no rule writes
    .help = `set { $name } = { $value }` changes its value

console-meant-set = did you mean `set { $name } = { $value }`?
    .help = `add after ID: { $line }` or `[id] { $line }` adds the rule that holds it there

console-replace-needs = `replace` needs a row and a rule
    .help = say `replace 3: x = 1`

console-replace-in-another-list = row `{ $id }` stands among the { $list }, and this rule belongs to the { $other }

console-move-needs = `move` needs two rows
    .help = say `move 7 before 6`

console-move-in-one-list = both rows must stand in one list

console-move-of-base = row `{ $id }` stands in a table that this one extends
    .help = `drop` it and `add` it in another place

console-neither-side = `{ $side }` is neither `after` nor `before`

console-not-aside = no row `{ $wanted }` is set aside

console-there-are = there are { $names }

console-no-rule = this is no rule

console-add-needs = `add { $word }` needs a row and a rule
    .help = say `add after 3: x = 1`

console-row-of-part = row `{ $id }` belongs to part `{ $part }`, whose table is { $file }
    .help = change it there; here its inputs, constants and starts can be given values

console-rename-what = `rename` needs a name and the one it gets
    .help = say `rename P force`

console-name-taken = something is called `{ $name }` already

console-element-of-family = `{ $name }` is an element of `{ $family }`
    .help = `rename { $family } ..` renames all of them

console-other-meaning = with `{ $new }` for `{ $old }` the table would not mean the same
    .help = another thing has this name, or a word of a row; take another one

console-name-elsewhere =
    .in-base = `{ $name }` is declared in { $file }, which this table extends
    .in-part = `{ $name }` belongs to part `{ $part }`, whose table is { $file }
    .help = rename it there

console-named-after-row = no entry of the table declares `{ $name }`: it is called after its row

console-name-of-part = `{ $name }` belongs to part `{ $part }`, which this table does not name by itself
    .help = `set { $name } = ..` changes it in this run

console-declared-in-part = `{ $name }` is declared in the table of its part
    .help = from here it can be given another start only

console-declaration-needs = `{ $word }` needs a name
    .help = say `{ $word } x = 1`

console-constant-needs = a constant needs a value
    .help = say `constant { $name } = 1`

console-invariant-needs = an invariant needs a name and an expression
    .help = say `invariant energy: m * v * v / 2`

console-no-invariants = the table has no invariants

console-title-needs = `title` needs a text
    .help = say `title tank`

console-why-needs = `why` needs a name
    .help = say `why contact` or `why not contact`

console-no-boolean = `{ $name }` is no boolean
    .help = `why { $name }` says where its value comes from

console-was-set = it was set to { $value }

console-table-says = the table says { $value }

console-why-constant = { $value }: a constant; { $from }

console-of-a-run = `{ $args }` is met by a whole run, not where this one stands
    .help = write it into `expect` of the table, or measure it: `summary count(hit)`
console-no-condition = `{ $args }` is no condition
    .help = say `expect h >= 0`, or the name of a situation

console-expected-holds = { $args }: holds

console-expected-fails = { $args } does not hold at t = { $time }
console-expected-none = none of the { $n } conditions holds
console-expected-some = these hold: { $names }
    .more = these hold: { $names } and { $more } more

console-no-real = `{ $name }` is no real
    .help = `trace { $name }` shows when it changed

console-time-ahead = that time lies ahead

console-blame = { $spelt } went from { $first } at t = { $begin } to { $last } at t = { $end }: { $change }

console-at-the-prompt = at the prompt: { $said }

console-no-rule-wrote = no rule wrote it

console-left-out = { $n } of { $lines } left out; `trace { $name } all` shows all

console-coverage = { $fired } of { $rules } active in { $steps }

console-converge-runs = a study of convergence has { $least } to { $most } runs
console-undone = undone: { $line }

console-nothing-to-undo = there is nothing to undo

console-done-again = done again: { $line }

console-nothing-to-redo = there is nothing to redo

console-branch-exists = there is a branch `{ $args }` already
    .help = `checkout { $args }` goes to it

console-branch-blanks = the name of a branch has no blanks

console-branch-made = branch { $args }, from { $now } at t = { $time }

console-this-is-branch = this is `{ $args }`

console-no-branch = there is no branch `{ $name }`
    .help = `branch` lists them

console-compare-needs = `compare` needs a branch
    .help = say `compare main`

console-compared = A = { $first }, B = { $second }, from t = 0 to { $end }

console-they-part = they part at t = { $time }

console-they-are-equal = they are equal to the last bit

console-print-needs = `print` needs an expression
    .help = say `print h`

console-taken-away = { $gone } taken away

console-nothing-displayed = nothing is displayed

console-nothing-changed = nothing has changed

console-no-ranges = the table has no ranges

console-no-more = no more { $ended }

console-load-needs = `load` needs a file
    .help = say `load table.ron`

console-table-changed = `{ $name }` is not what it was when the script was saved
    .help = it or a table that it extends was changed, and the script would lead elsewhere; without the hash in its line it takes the table as it is now

console-warned = warning[{ $code }]: { $message }

console-and-more = and { $n } more

console-check-shows = `check` shows where

console-no-file = this table comes from no file

console-nothing-found = nothing found

console-graph-no-real = `{ $args }` is no real
    .help = `why` explains a boolean

console-new-future = a new future begins; `undo` brings back the one that was known

console-no-rule-contains = no rule contains `{ $args }`

console-no-name-contains = no name contains `{ $args }`

console-set-aside = set aside

console-show-needs = `show` needs a name
    .help = say `show h` or `show rule 3`

console-zero-steps = `{ $command } 0` does nothing
    .help = say `{ $command }`, or `{ $command } 5` for five

console-no-count = `{ $command }` takes a whole number, and `{ $args }` is none
    .help = say `{ $command }` or `{ $command } 5`

console-this-is-the-stop = this is the table's `stop`; `run for T` goes on

console-run-to-past = t = { $rest } is in the past
    .help = `goto { $rest }` goes back to it

console-run-forward = a run goes forward
    .help = `back` goes back

console-run-needs-more = `run { $word }` needs more
    .help = say `run for 0.5`, `run to 2` or `run until h < R`

console-run-not-understood = `run { $args }` is not understood
    .help = say `run`, `run for 0.5`, `run to 2` or `run until h < R`

console-curves-more = and { $rest } more
console-curves-parts = a picture has 1 to { $most } parts, not `{ $n }`

console-empty-window = the window is empty
    .help = the time after `to` is the later one

console-no-knobs = nothing can be turned

console-sets-nothing = `{ $part }` sets nothing
    .help = say `rerun m = 2, step = 0.001`

console-follows = `{ $name }` follows from its rules and cannot be set
    .help = `why { $name }` says from what
console-leaves-state = `{ $name }` is the state in which its machine is: it cannot be left without another one
    .help = set the state true into which the machine is to go

console-film-frames = a film has 2 to { $most } pictures
    .help = say `frames into 100`

console-no-scene = the table has no scene

console-film = { $pictures }, t = { $from } to { $to }

console-no-exercise = the table has no exercise

console-predicts-nothing = `{ $part }` predicts nothing

console-not-asked = the exercise does not ask for `{ $name }`
    .help = `lab` lists what it asks for

console-no-csv = `{ $path }` is no CSV file
    .help = give the ending .csv
    .rows = rows are written as CSV: give the ending .csv

console-cannot-write = cannot write `{ $path }`: { $error }

console-saved = saved { $path }

console-rewrite-needs = `rewrite` needs a text in quotes
    .help = write `\"` for a quote in it and `\n` for the end of a line, as in JSON

console-same-text = this is the text of the table already

console-save-needs = `save` needs a file
    .help = say `save table.ron`

console-neither-table-nor-script = `{ $path }` is neither a table nor a script
    .help = the name of a table ends in .ron, that of a script in .situ

console-saved-script = saved { $path } as a script of { $lines }

console-settings-not-saved = what was set is not in it: { $names }

console-read-already = `{ $path }` is being read already
console-read-too-deep = `{ $path }` is not read: { $most } scripts that read one another are being read already

console-cannot-read = cannot read `{ $path }`: { $error }

console-read-needs = `read` needs a file
    .help = say `read session.situ`

console-nothing-changed-yet = nothing was changed yet

console-no-command = there is no command `{ $word }`
    .help = `help` lists all commands

console-save-over = `{ $path }` is the table that was loaded
    .again = say `save` again to write over it, or give another name
    .urged = `save!` writes over it; or give another name

console-help-also = Also: { $names }

console-set-needs = `set` needs a name and a value
    .help = say `set h = 300`

console-nothing-named = there is no `{ $name }`

console-meant-set-near = did you mean `set { $near } = { $value }`?

console-switch-value = a switch is `true` or `false`, not `{ $value }`

console-vs-one-name = `vs` stands before one name
    .help = say `plot Vy vs h`

console-open-backtick = a backtick is not closed

console-picture-ending = the name of a picture ends in .svg or .png

console-drawn-into = drawn into { $path }

console-no-booleans = the table has no booleans

console-export-needs = `export` needs a file
    .help = say `export run.csv`

console-rows-into = { $rows } into { $path }

console-margin-needs = a margin needs a distance
    .help = say `break margin contact < 0.1`

console-stops-not-understood = `stops { $word }` is not understood
    .help = say `stops`, `stops on 1` or `stops off 1`

console-no-stops = no breakpoints; `break` and `watch` set some

console-no-stop = there is no stop `{ $number }`
    .help = `stops` lists them

console-delete-needs = `delete` needs the number of what runs stop on, or `all`
    .help = `stops` lists them with their numbers

console-stop-gone = { $number }: { $on } is gone

console-no-row = there is no row `{ $wanted }`
    .help = `rules` lists all rows with their ids

console-row-of-elements = `{ $id }` is one element of row `{ $whole }`
    .help = `{ $whole }` stands for all of them; `for .. in ..` narrows a row

console-several-rows = `{ $wanted }` stands for several rows

console-no-case = the table has no case `{ $name }`

console-would-write-over = { $what } would write over `{ $path }`, which is read

console-no-end = the table does not say where its run ends
    .help = say `run for 1`, `run to 5` or `run until h < R`

console-stop-nothing-happens = nothing happens any more: steps grow without end

console-stop-when-holds = `stop_when` holds

console-no-longer = no longer: { $names }

console-stopped = stopped: { $why }

console-not-in-model = { $expression }: not in this model

console-not-in-the-past = t = { $at } is not in the past: it reaches from { $first } to { $end }
    .help = `run to` goes on to a time that was not reached yet

console-past-failed = it had been run before; run again to answer, it failed

console-no-range = there is no range `{ $name }`

console-row-of-scene = row `{ $id }` is drawn and does nothing

console-no-help = there is no help

console-several-commands = `{ $word }` begins several commands

console-other-layout = did you mean `{ $line }`? It was typed on the other keyboard layout

console-no-name = the model has no `{ $name }`
    .help = `vars` lists all names

console-family = { $first } .. { $last }: { $n } elements, from { $least } (`{ $low }`) to { $most } (`{ $high }`), mean { $mean }
    .truths = { $first } .. { $last }: { $n } elements, { $held } true

console-is-family = `{ $name }` is a family
    .help = name one of its elements, such as `{ $first }`

console-no-number = `{ $text }` is no number

console-not-finite = `{ $text }` is { $value }

console-status = t = { $now }, step { $steps }

console-not-by-set = `{ $name }` is a setting of the clock that `set` does not change
    .every = the prompt keeps every step; `every` in the table's `clock` or `situ run --every` thins out rows that are written
    .start = write it into the table's `clock`

console-setting-kind = `{ $name }` is { $kind }

console-setting-value = `{ $name }` cannot be `{ $value }`

console-one-of = it is one of { $words }

console-same-as = the same as { $name }

console-empty-table = an empty table
console-another-text = another text of the table
console-without-png = this program has been built without PNG: the feature `png` of its crates
