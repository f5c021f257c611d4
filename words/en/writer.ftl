writer-accumulate =
    .question = which rows add up tick by tick
writer-accumulates = row `{ $id }` changes `{ $name }` again in every tick
    .works-own-result = works on its own result of the tick before
    .reads-last-tick = reads `{ $name }` as the last tick left it
    .note-no-row = no row above writes it at { $context }
    .note-result-depends = the result depends on the length of the tick
    .change-once-write = to change it once, write `:=` at an event
    .place-below-row = place it below a row that computes the value afresh, use `integral`, or write `:=` at an event
writer-conflicts =
    .question = which rows write a real at the same time
writer-clash = { $second } can write `{ $name }` at the same time
    .label = wins, because it stands below
    .also = is overwritten
    .note =
        { $n ->
            [one] so can 1 more pair of its rows
           *[other] so can { $n } more pairs of its rows
        }
    .help = let the conditions exclude each other, or make the lower one a special case of the upper one
writer-ordered = { $rows } write `{ $name }` in one tick, their order matters
    .what-comes-first = comes first
    .what-writes-first = writes first
    .what-starts-value = starts from the value above
    .what-overrides-rows = overrides the rows above
writer-shadowed =
    { $n ->
        [one] row `{ $id }` never has an effect: { $over } always writes `{ $name }` after it
       *[other] row `{ $id }` never has an effect: { $over } always write `{ $name }` after it
    }
    .acts =
        { $n ->
            [one] row `{ $id }` never acts: { $over } always writes `{ $name }` after it
           *[other] row `{ $id }` never acts: { $over } always write `{ $name }` after it
        }
    .question = which rows of a real are overwritten
    .replaces-what-row = it replaces what the row adds
    .nothing-reads-value = nothing reads the value before
    .label = has no effect
    .help = take row `{ $id }` out, or give { $over } a condition that leaves it room
writer-stale = no row writes `{ $name }`: it keeps its last value
    .question = where a real keeps an old value
    .no-row = no row writes `{ $name }` at { $shown }: it keeps its last value
    .also-still-reads = still reads it
    .note-row-reads = row `{ $row }` reads it there
    .also-still-compares = still compares it
    .note-compares = `{ $range }` compares it there
    .note-stop-when = `stop_when` reads it there
    .note-only-output = only the output reads it
    .label = writes it only while its condition holds
    .note-happens-border = this happens on the border only
    .help-let-conditions = let one of the conditions include the border (`<=`, `>=`), or add a row `{ $name } = ... otherwise`
    .help-add-row = add a row for the rest, for example `{ $name } = 0 otherwise`; to keep a value on purpose, use `sample_and_hold`
