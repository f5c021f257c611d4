why-mover =
    .push-border-rests = the push of the border on which it rests
    .put-back-onto = put back onto the constraints
    .error-sums-above = error of the sums above
why-holds = holds
    .does-not-hold = does not hold
why-line =
    .see-above = { " " }(see above)
    .going-t = ; it is going to at t = { $at }
    .not-before-t = ; not before t = { $end }
    .slides-along = slides along
    .rests = rests on
    .state-border-when = the state { $bound } this border: it { $holds } as when that began
    .border-side-where = { $line }: on its border, on the side where it holds
    .border-side-where-2 = { $line }: on its border, on the side where it does not hold
    .margin = { $line }: { $left } { $symbol } { $right }, margin { $margin }
    .start-nothing-arises = ; at the start nothing arises
    .arose = ; it arose
    .what-follows-turned = ; what it follows from has turned since
    .but-held-before = ; but it held before, so it did not arise
    .did-not-hold = ; it did not hold before: it arose
    .was-before-assignments = that was before its assignments; it has turned since
    .set-last-t = set last at t = { $at } by { $line }
    .no-assignment-written = no assignment has written it: it has its start value, or what was set
    .holds-but-switch = it holds, but the switch was set otherwise since
    .holds-but-start = it holds, but at the start nothing arises
    .holds-held-before = it holds, and held before: it has to end before it can arise again
    .new-here-start = it is new here and has its start value
    .new-here-present = it is new here: the present values say how it stands
    .was-set-prompt = it was set at the prompt since the last step
    .gave = { $line }   gave { $value }
    .counts-state-slides = { $line }   counts { $share }: the state slides along a border
    .differentiated = differentiated:{ " " }
    .slope = , slope { $slope }
    .off = { $derivatives }{ $equation }   off by { $residual }{ $slope }
    .put-back-onto = put back onto the constraints, by { $moved }
    .no-rule-written = no rule has written it yet: it has its start value, or what was set
    .no-rule-writes = no rule writes it now; { $relation } wrote it last, at t = { $at }
    .row = this row
    .these-rows = these rows
    .start = the start
    .written-since = written by { $writers } since { $since }
