start-circular = start values go in a circle: { $names }
start-shape = `{ $name }` decides how many elements the model has: it was made for { $made_for }, and { $value } makes another one
start-not-finite = the start value of `{ $name }` is { $value }
start-bad-interval = `{ $what }` cannot have the length { $value }
start-delay-too-long = a delay of { $ticks } ticks is too long
start-past-not-finite = the past of a delay has no value at { $time }
