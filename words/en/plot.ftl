plot-nothing = nothing to draw
plot-time = time
plot-index = index
plot-and-more = { $names } and { $n } more
plot-first-argument = first argument
plot-second-argument = second argument
