start-circular = start values go in a circle: { $names }
start-shape = `{ $name }` decides how many elements the model has: it was made for { $made_for }, and { $value } makes another one
start-no-state = machine `{ $machine }` would begin in none of its states: set the one true in which it begins
start-several-states = machine `{ $machine }` would begin in several states ({ $states }): set only one true
start-not-finite = the start value of `{ $name }` is { $value }
start-bad-interval = `{ $what }` cannot have the length { $value }
start-delay-too-long = a delay of { $ticks } ticks is too long
start-past-not-finite = the past of a delay has no value at { $time }
