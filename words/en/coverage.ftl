# Coverage: what of a table a run has visited.

coverage-never = never
coverage-some-never = { $n } never
coverage-active-from-to = { $from } to { $to }
coverage-column-share = share
coverage-column-rule = rule
coverage-column-active = active
coverage-column-combination = combination
coverage-column-lasted = lasted
coverage-column-first-at = first at
coverage-rules-fired =
    { $n ->
        [one] { $fired } of { $n } rule
       *[other] { $fired } of { $n } rules
    }
coverage-fired-in = { $fired } fired in { $work }
coverage-elsewhere = { $share } of the time in further combinations, too many to tell apart
coverage-nothing = nothing
coverage-more = { $n } more
