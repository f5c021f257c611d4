# Words of a report, whatever it says.

report-error = error
report-warning = warning
report-note = note
report-help = help

# At the end of what is too much to be shown.
report-more = { $n } more findings of this kind
report-more-elements =
    { $n ->
        [one] { $n } more element has the same
       *[other] { $n } more elements have the same
    }

# Above a change that no help explains.
report-change = change it to
report-did-you-mean = did you mean `{ $near }`?

# What the system says of a file.
report-system = { $text }
