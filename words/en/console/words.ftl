# Words of the prompt: groups, headings of columns, kinds, counts.

console-group-model = the table
console-group-run = run
console-group-back = back
console-group-stop = stop on
console-group-look = look
console-group-explain = explain
console-group-change = change
console-group-lines = lines of history
console-group-show = show
console-group-session = session

console-help-settings = Settings:

console-help-examples = Examples:

console-n-steps =
    { $n ->
        [one] { $n } step
       *[other] { $n } steps
    }

console-n-lines =
    { $n ->
        [one] { $n } line
       *[other] { $n } lines
    }

console-n-rules =
    { $n ->
        [one] { $n } rule
       *[other] { $n } rules
    }

console-n-constants =
    { $n ->
        [one] { $n } constant
       *[other] { $n } constants
    }

console-n-reals =
    { $n ->
        [one] { $n } real
       *[other] { $n } reals
    }

console-n-pictures =
    { $n ->
        [one] { $n } picture
       *[other] { $n } pictures
    }

console-n-rows =
    { $n ->
        [one] { $n } row
       *[other] { $n } rows
    }

console-never = never
console-at-start = at the start

console-nothing-writes = nothing writes it

console-above = above

console-save-over-changed = `{ $path }` has been changed since this session read it

console-missed = reached the table's `stop`; the condition never became true

console-stop-once = once

console-stop-off = off

console-here = here

console-no-rules-yet = no rules yet

console-no-names-yet = no names yet

console-kind-constant = constant
console-kind-real = real
console-kind-switch = switch
console-kind-range = range
console-kind-event = event
console-kind-situation = situation
console-kind-branch = branch
console-kind-folder = folder

console-now = now

console-written-by = written by

console-read-by = read by

console-described = { $kind }{ $about }; starts with { $start }

console-look-alike =
    .cyrillic = did you mean `{ $other }`? It looks the same, but has Cyrillic letters where this has Latin ones
    .latin = did you mean `{ $other }`? It looks the same, but has Latin letters where this has Cyrillic ones

console-say-one = say { $names }

console-or = or

console-past = past

console-column-moved-by = moved by
console-column-rule = rule
console-column-in = in
console-column-from-t = from t
console-column-to = to
console-column-written-by = written by
console-column-first = first
console-column-last = last
console-column-least = least
console-column-greatest = greatest
console-column-active = active
console-column-case = case
console-column-about = about
console-column-number = number
console-column-stops-on = stops on
console-column-mark = mark
console-column-time = time
console-column-branch = branch
console-column-steps = steps
console-column-real = real
console-column-at-the-end-a = at the end: A
console-column-greatest-distance = greatest distance
console-column-at-t = at t
console-column-unit = unit
console-column-invariant = invariant
console-column-start = start
console-column-now = now
console-column-drift = drift
console-column-name = name
console-column-is = is
console-column-value = value
console-column-begins = begins
console-column-ends = ends
console-column-range = range
console-column-margin = margin
console-column-event = event
console-column-nearest-border = nearest border
console-column-of-its-sides = of its sides
console-column-from = from

console-no-cases = the table has no cases

console-in-use = in use

console-holds = holds

console-the-picture = the picture

console-the-log = the log

console-value-positive = a number above zero

console-value-not-negative = a number not below zero

console-value-word = one of some words

console-value-expression = an expression

console-value-condition = a condition

console-help-end =
    A rule adds itself: `Fel = K * def when contact`. A name prints itself. An empty line steps again.
    Any prefix that fits one command will do. `help COMMAND` says more.
