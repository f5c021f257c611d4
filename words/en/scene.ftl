scene-attribute-kind =
    .attribute-such = an attribute such as { $examples }
scene-comma =
    .and = `,` and { $what }
scene-there-are = there are { $copied }
scene-no-shape = this row is empty
    .no-shape = `{ $word }` is no shape: a row of a scene begins with one
scene-unknown-attribute = `{ $word }` is no attribute of a { $shape }
scene-attribute-of-another = a { $shape } has no text
    .no-points = a { $shape } has no points
    .no = a { $shape } has no `{ $kind }`
    .help = it may have { $examples }
scene-point-without-word = the place of a { $shape } stands behind `{ $word }`
    .help = write `{ $word }`
scene-missing-comma = a comma is missing before `{ $word }`
    .help = separate attributes by commas
scene-lacks = this { $shape } lacks its { $what }
    .help = write it as `{ $example }`
    .points = points
    .text = text
scene-not-two-coordinates =
    a point has two coordinates, not { $n ->
        [one] one
       *[other] more
    }
    .help = write it as `(x, y)`
scene-number-of-points =
    { $name ->
        [arrow] an arrow
       *[other] a { $name }
    } joins { $wanted } points, not { $found }
    .help-write-x = write `(0, 0) to (x, y)`, or `(x[j], y[j]) for j` for a family
    .of-a-family = those of a family
    .help-polyline-joins = a `polyline` joins more points, and those of a family
scene-unknown-colour = a colour is missing
    .no-colour = `{ $word }` is no colour
    .note = colours have names, each with a shade for light and for dark ground
scene-unknown-side = a side is missing
    .no-side = `{ $word }` is no side of a text
scene-unclosed-letters = this text is not closed
    .help = end it with `'`; a quote inside of it is written twice, `''`
scene-unclosed-brace = the brace in this text is not closed
    .help = write `{ "{" }x{ "}" }` for the value of x, or `{ "{" }{ "{" }` for a brace
scene-stray-brace = this brace closes nothing
    .help = write `{ "}" }{ "}" }` for a brace
scene-digits = `{ $text }` does not say how many digits are shown
    .help = write `{ "{" }x:.2{ "}" }` for two digits behind the point, { $most } at most
scene-never-counts = this `{ $name }` never counts: the one before it always does
    .also = holds without a condition
    .help = of each attribute the first whose condition holds counts: put this one first, with a `when`
scene-view = the view has four borders, not { $found }
    .help = write `view: (left, upper, right, lower)`, e.g. `view: (-1, 6, 11, -0.5)`
scene-shape-in-columns = a row of a scene is a line in quotes
    .help = write it as `"{ $example }"`
scene-no-such-group = group `{ $name }` stands below its member
    .also = the group
    .help-move-group = move the group above the shapes that stand in it
    .scene-no = the scene has no group `{ $name }`
    .help-row-above = a row above says what it is, such as `{ $example }`
scene-no-group = `{ $name }` is a { $kind }, not a group
    .also = the shape
    .help = only a `group` has a frame in which other shapes stand
scene-no-view = the scene does not say what is shown of the plane
    .help = add its borders, `view: (left, upper, right, lower)`
scene-empty-view = the view has no { $what }
    .help = write `view: (left, upper, right, lower)`, each border apart from the opposite one
scene-instant-in-scene = a scene cannot read `{ $word }`
    .help = it holds for an instant that a scene does not see: name a situation, or compare `time`
scene-needs-a-quantity = this shape needs a quantity of its own
    .note = what is taken over elements under a condition is a real or a situation that rules compute; a scene adds none
    .help = give it a name: a row of `relations` or `situations`, and draw that
scene-counting-shape-without-name = a { $kind } for every element has a name with the counter
    .help = write it as `{ $kind } name[{ $counter }]: ..`
