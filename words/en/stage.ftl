stage-no-law = this stage does not say how fast it goes
    .help = write `A -> B : k` for mass action, or `A -> B at rate`
stage-empty-stage = this stage has no species on either side
    .help = `-> A : 15` is a source, `A -> : k` a sink
stage-number-of-rates =
    { $wanted ->
        [one] a stage that goes one way has 1 { $what }, { $n_written } given
       *[other] a stage that goes both ways has { $wanted } { $what }s, { $n_written } given
    }
    .help-one-way = write `<->` if it goes both ways
    .help-both-ways = write the one of the way forth, a comma, the one of the way back
stage-reactant-as-constant = `{ $name }` is a reactant of this stage, and stands after `:`
    .also = is multiplied by what the stage takes
    .help = after `:` stands the constant of mass action; a rate law stands after `at`
stage-stage-otherwise = a stage has no `otherwise`
    .help = name the condition as a situation and write `when !situation`
stage-bad-amount = `{ $text }` is no number of molecules
    .help = write a number above zero
stage-formula-of-no-species = no stage has a species `{ $species }`
    .help-leave-formula = leave its formula out
stage-bad-formula = `{ $text }` is no formula: { $why } cannot be read
    .help = write elements with their numbers: `C8 H10`, `Ca(OH)2`, `SO4 2-`
    .nothing = nothing is written
    .not-closed = `{ $bracket }` is not closed
stage-no-formula = what `{ $species }` consists of is not known: its stages are not balanced
    .help = add it to `formulas`: `"{ $species }": "C2 H6"`
stage-not-balanced = stage `{ $id }` is not balanced: { $element } { $left } left, { $right } right
    .note = { $element } { $left } left, { $right } right
    .help = correct the numbers of molecules, or the formulas
stage-stage-at-event = stage `{ $id }` stands at an event, and goes on through time
    .help = write a row `A, B := A - n, B + n when event` for what happens at once
stage-no-such-stage = there is no stage of the rate `{ $name }`
    .help-flux-rate = `flux(4)` is the rate of the stage `[4]`, `flux(4r)` of its way back
stage-amount-no-constant = `{ $name }` is { $kind }, not a number of molecules
    .help = a number of molecules is a number or a constant; what depends on the state stands in a rate law
stage-amount-below-zero = `{ $name }` is { $value }, no number of molecules
    .help = a number of molecules is not below zero: what a stage gives stands on its right side
stage-rate-written = `{ $target }` is the rate of stage `{ $id }`, which no other row writes
    .help = change the stage: its rate law stands after `at`
