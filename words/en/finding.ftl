finding-report = the instants of { $events } gather at time { $limit } (Zeno), after { $fired } of them
    .comes-faster-faster = comes faster and faster
    .help-ticks-miss = ticks miss what follows: run with --events, or add a row that says what rests
    .instants-gather = the instants of { $events } gather at time { $limit } (Zeno); they are taken together there
    .of-borders = the borders crossed there
    .chatters-turns = `{ $what }` chatters: it turns in { $share } % of the ticks from time { $from } on
    .turns-own-effect = turns by its own effect
    .help-leave-gap = leave a gap between two borders (hysteresis), or run with --events, which slides along the border
    .by = `{ $name }` by { $from }
    .start-values = start values were moved onto the constraints: { $told }
    .off-less-than = off by less than is tolerated
    .why-depends-own = it depends on its own effect, so that ticks would alternate there
    .why-both-sides = both sides lead back to it
    .run-slides = the run slides along the border of { $borders } from time { $from } on: { $why }
    .time-stops-nothing = at time { $time } it stops there, as nothing moves on either side: the truth from before the slide is kept, where ticks end with either; a row that acts on one side would decide
    .on-border = at time { $time } a jump leads onto the border of `{ $border }`, up to rounding: on which side it goes on is decided by rounding
    .help-on-border = jump to a number that is clear of the border, or compare with one that is
    .no-value = `{ $range }` compares what has no value at time { $time }: whether it holds is not known there, nor from where it has one again
    .help-no-value = compare what has a value everywhere: where x is positive, `sin(x) <= 0.9 * x` for `sin(x) / x <= 0.9`
    .fired-time = `{ $situation }` fired at time { $since } and cannot fire again: `{ $range }` stays as it is, and its quantity runs on to { $abs } beyond the border
    .fires-when-condition = fires when its condition arises
    .help-run-events-2 = run with --events, with a smaller step, or add a row that holds while the condition is true
    .stops-and-goes-on = `{ $situation }` stops its quantity on the border of `{ $range }` at time { $time }, where the motion leads on: `{ $range }` stays as it is, and it cannot fire again
    .help-hold-or-bounce = add a row that holds while the condition is true, or leave a little of the speed, with which bounces gather to a rest
finding-gap = `{ $measure }` has no value from time { $from } to { $until }: the result is that of the rest of the run
    .at-once = `{ $measure }` has no value at time { $from }: the result is that of the rest of the run
    .spans =
        `{ $measure }` has no value in { $spans } spans between time { $from } and { $until }: the result is that of the rest of the run
    .label = is measured where it has a value
    .help = measure what has a value everywhere, `max(sqrt(max(x, 0)))`, or look at why it has none there
finding-dense-schedules = `{ $id }` fires only once per tick: a tick of { $step } is longer than its period { $period }
    .help = choose a shorter `step`, or run with --events
finding-flicker =
    { $event ->
        [true] the condition of `{ $what }`
       *[false] `{ $what }`
    } was { $holds } for a single tick at time { $time }{ $more ->
        [0] { "" }
       *[other] , and { $more } times more
    }: a longer step would lose it
    .help = run with --events, or with a smaller step
