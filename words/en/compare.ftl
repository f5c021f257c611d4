# Comparison of two runs; `$which` is the run that the sentence is about, `first` or `second`.

compare-runs =
    { $named ->
        [true] { $model }, 0 to { $until }
       *[false] 0 to { $until }
    }
    {"  "}first:  { $first }
    {"  "}second: { $second }
    .reversed = ; what falls on one time in reverse order
compare-and = {" "}and{" "}
compare-border = { $kind ->
        [border] the border of `{ $name }`
       *[kink] the kink of `{ $name }`
    }
compare-breaks-off = The { $which } run breaks off: { $fault }.
compare-lacks = Only the { $which } run has { $names }.
compare-part = The runs part at { $time }: `{ $name }` { $change } there in the { $which } run and not in the { $which ->
        [first] second
       *[second] first
    }.
compare-same-changes = Both runs have the same { $changes }, at the same times.
    .apart = Both runs have the same { $changes }, at most { $late } apart.
compare-chatters = In the { $which } run { $names } { $n ->
        [one] chatters
       *[other] chatter
    } at a border.
compare-same-values = Their values are the same.
compare-agree = They agree: values differ by { $part } of their range at most (`{ $name }`).
compare-differ = Values differ by up to { $part } of their range (`{ $name }` at { $at }).
compare-differ-there = There values differ by up to { $part } of their range (`{ $name }` by { $size } at { $at }), elsewhere by { $away } (`{ $away_name }` at { $away_at }).
    .only = There values differ by up to { $part } of their range (`{ $name }` by { $size } at { $at }), elsewhere they are the same.
compare-when = From { $from } to { $to }
    .several = { $n } times, first from { $from } to { $to },
compare-stays = the { $which } run slides along { $kind ->
        [border] the border of `{ $name }`
       *[kink] the kink of `{ $name }`
    }
    .rests = the { $which } run rests on { $kind ->
        [border] the border of `{ $name }`
       *[kink] the kink of `{ $name }`
    }
compare-crosses = over which the { $which ->
        [first] second
       *[second] first
    } goes back and forth { $n } times.
    .unknown = over which the { $which ->
        [first] second
       *[second] first
    } goes back and forth.

compare-column-changes = changes of
compare-column-both = in both
compare-column-first-only = first only
compare-column-second-only = second only
compare-column-mean = mean distance
compare-column-largest = largest
compare-column-at = at
compare-column-difference = largest difference
compare-column-relative = of its range
compare-column-change = change
compare-column-to = to
compare-column-first = first run
compare-column-second = second run
compare-column-distance = second - first
compare-loop = The table has an algebraic loop ({ $message }): events solve it, ticks go round it once a tick and diverge if its slope is below -1.
