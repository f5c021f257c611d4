summary-counted =
    { $n ->
        [one] 1 { $noun }
       *[other] { $n } { $noun }s
    }
summary-ticks = { $ticks } of { $step }
    .by-formula = { $ticks } by a formula
    .located = , events located ({ $way })
    .native = { " " }in native code
summary-steps = { $steps } of { $method } (rtol { $rtol }), { $rejected } rejected
    .fixed = { $steps } of { $method } ({ $step })
    .by-formula = { $steps } of { $method } (by a formula)
    .work = , { $evaluations }; { $instants } in { $modes }
    .native = , in native code
summary-headline = { $from } to { $time }: { $work }
    .condition = { $from } to { $time }, where the stop condition came true: { $work }
    .interrupted = { $from } to { $time }, where it was interrupted: { $work }
    .broken = { $from } to { $time }, where it broke off: { $work }
summary-no-value = no value
summary-expected = expected
summary-met = met
    .with = met ({ $detail })
    .not-at = NOT met { $detail }
    .not = NOT met, { $detail }
    .time = at t = { $time }
    .found = it is { $value }
    .no-value = there is no such value
summary-reals =
    .real = real
    .start = start
    .end = end
    .unit = unit
summary-situations =
    .situation = situation
    .held = held for
    .share = share
    .fired = fired
    .never = never
summary-never-fired = never fired:
summary-row-kind = { $kind }
summary-and-more = ... and { $n } more
summary-instants =
    { $n ->
        [one] 1 event instant
       *[other] { $n } event instants
    }
