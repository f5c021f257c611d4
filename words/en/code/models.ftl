# Pages of codes: families, reactions, machines, parts, scenes, rows that are solved.

code-F001 = something that is not taken over elements
    .what =
        In front of `(.. for j)` stands a word that is neither `sum`, `mean`, `min`, `max`, `number`, `any` nor
        `all`.
    .why = Only these are known over all elements of a family.

code-F002 = a number of elements that is not known, or not whole
    .what = The end of a range, or an index, has no whole value before the run.
    .why =
        How many elements there are is decided by numbers and constants alone: by nothing that changes during a
        run.

code-F003 = a range that is turned round
    .what = A range ends below its beginning.
    .why =
        It has no elements, and the rows that count over it do nothing. Constants with other values may have
        turned it round.

code-F004 = an index that leaves its range
    .what = A row reads or writes an element that the family does not have.
    .why =
        The message names the element, the value of the counter and those of the constants. The row may need a
        narrower range, or the family elements at its border.

code-F005 = a family without its index, or an index without a family
    .what = A family is named without an index or with too many, or a name that is no family has one.
    .why =
        A row reads and writes elements. All of them together are read by `sum`, `mean`, `min`, `max`, `number`,
        `any` and `all`.

code-F006 = two things under one name
    .what =
        A family has the name of a single quantity or of another family, or a counter has the name of something
        else.
    .why = Each name stands for one thing. Starts of some elements may be given under the family's name.

code-F007 = a counter that counts nothing
    .what = A counter stands in a row whose target has no such index, or `for` names one that is not declared.
    .why =
        A row is done for all values of the counters of its target. What is to be one value of many elements is
        a sum, a mean or the like.

code-F008 = an index that is no counter and no number
    .what = An index is a counter plus a whole number, a whole number, or an element of a family of constants.
    .why = So it is known before the run which elements a row reads, and that all of them are there.

code-F009 = more elements than memory holds
    .what = The table would become too large. This is found before any memory is taken.
    .why =
        Each element of a row takes room. A sum over all elements in a row for each element has their number
        squared of terms.

code-F010 = a mean or a bound of no elements
    .what = `mean`, `min` or `max` is taken over a range without elements.
    .why = It has no value. A sum over nothing is 0, `number` too; `any` is false, `all` is true.

code-F011 = a condition that names its own family
    .what = A family of situations is defined by elements of itself.
    .why = Elements are decided one by one, each by what is defined above its family.

code-F012 = elements that no row writes
    .what = Rows write some elements of a family and leave others out.
    .why = These keep their start values. At a border that may be meant; a row of their own says so.

code-F013 = elements that two rows write
    .what =
        Two rows without a condition give the same elements a value, or two entries that are equally narrow give
        them a start value.
    .why = The later one replaces what the earlier one gives.

code-F014 = a row that reads what it writes at another index
    .what = A row over elements reads its own family at another index, and is no integral.
    .why =
        All elements read what stood before the row, then all are stored. With `one after another` each reads
        the new value of the one before. The two differ.

code-F015 = a sum over a counter that nothing in it reads
    .what = What a sum, a mean or a condition over elements goes over is the same for all values of the counter.
    .why =
        A sum of it is a multiple, a mean or a bound the value itself. Most often an index is missing: one element,
        `u[1]`, stands where each is meant, `u[j]`.

code-S001 = a stage without its rate, or with too many
    .what =
        A stage of reactions does not say how fast it goes, has one value too many or too few, or has no
        species.
    .why =
        Behind `:` stands the constant of mass action, behind `at` the whole rate. A stage that goes both ways
        (`<->`) has two values, any other one.

code-S002 = a reactant among the constants of a stage
    .what = What stands behind `:` names a species that the stage takes.
    .why =
        The value behind `:` is multiplied by the concentrations of what the stage takes. A rate law that names
        them itself stands behind `at`.

code-S003 = a stage at an event, or under `otherwise`
    .what = The condition of a stage is an event or `otherwise`.
    .why = A stage goes on through time, at a rate; what an event changes at once is a row with `:=`.

code-S004 = a number of molecules that is none
    .what = A number in front of a species is zero or too large, or a constant there is below zero.
    .why =
        A stage takes and gives numbers of molecules above zero; which side a species stands on says whether it
        is taken or given.

code-S005 = a formula that cannot be read
    .what = An entry of `formulas` is no chemical formula, or belongs to no species of a stage.
    .why =
        A formula consists of signs of elements with their numbers, brackets and a charge: `C8 H10`, `Ca(OH)2`,
        `SO4 2-`.

code-S006 = a species whose formula is not known
    .what = A table with `formulas` has a species that has none, and whose name is no formula.
    .why = A stage can only be balanced if it is known what all of its species consist of.

code-S007 = a stage that is not balanced
    .what = An element, or the charge, goes into a stage more often than it comes out, or less often.
    .why =
        Reactions make and destroy no atoms: a number of molecules is wrong, or a species is forgotten. Sources
        and sinks, which have one side only, are not balanced.

code-S008 = the rate of a stage that does not exist
    .what = `flux(ID)` names a stage that the table does not have.
    .why = `flux(4)` is the rate of the stage `[4]`, `flux(4r)` that of its way back.

code-S009 = what the stages conserve
    .what =
        The check tells which sums of species no stage changes; each of them is an invariant of the run, whose
        drift the summary shows.
    .why = A sum that should be conserved and is not among them shows a mistake in a stage.

code-S010 = the rate of a stage is written by another row
    .what = A row of the table writes `flux(ID)`, which is the rate of a stage.
    .why =
        The stage says how fast it goes. A row that changes its rate would leave the stage saying something
        else.

code-M001 = a transition that does not say when it fires
    .what = A transition of a machine has no `when`.
    .why = Without a condition a machine would leave the state as soon as it has entered it.

code-M002 = a state that the machine does not have
    .what =
        The start or a transition of a machine names a state that is not among its states, or the machine has
        none.
    .why = States are declared by their place in `states`; one without rows has an empty list.

code-M003 = a row of a state with `otherwise` or a place
    .what = A row of a state says `otherwise`, `after` or `before`.
    .why = A row of a state acts while the machine is in that state, and stands where it is written.

code-M004 = two transitions of one id
    .what = Two transitions of a machine have the same id, or one has the name of a state.
    .why =
        States and transitions are conditions that other rows may read, `machine.state` and `machine.id`: each
        needs a name of its own.

code-M005 = a state without a way in
    .what = No transition leads into a state, and the machine does not begin in it.
    .why = Its rows never act.

code-M006 = two transitions that can fire together
    .what = Two transitions of one state have conditions that can hold at the same time.
    .why =
        The one that is written first fires. If the other one was meant, the order is wrong; conditions that
        exclude each other need no order.

code-M007 = a machine with indices
    .what = The name of a machine or of a state has an index with a counter.
    .why =
        Families are of quantities, switches, conditions, rows and parts. A machine for each element is a part for
        each: its table holds the machine, and the part has the index.

code-M008 = a state of a machine that something else sets
    .what = An assignment sets the switch of a state, or clears it, or it is declared as a switch with a start value.
    .why =
        One state of a machine is true at a time, and only transitions change which. A transition leaves one state
        as it enters another.

code-A001 = a part without a table
    .what = The table of a part cannot be read, is not named, or has no case of the name that is asked for.
    .why = A part is a table of its own; its path is relative to the file that names it.

code-A002 = a part that contains itself
    .what =
        A table is its own part, or a part of one of its parts; parts stand in each other too deep, or two have
        one name.
    .why = Parts are written out as rows under their names: a table within itself would have no end.

code-A003 = an input that is written twice
    .what = Two rows connect one input of a part, or one row does so twice.
    .why = In written order the last one would win, and the other would do nothing.

code-A004 = something of a part that is written from outside
    .what =
        A row writes a real or a switch of a part that is no input of it, or `set` gives a value to what has
        none.
    .why =
        A part can be read everywhere and keeps its own rules: only inputs, constants and starts are given from
        outside.

code-A005 = a name that leads nowhere
    .what =
        A name with a point names a part that the table does not have, or something that the part does not have.
    .why = `left.level` is `level` in the table of the part `left`.

code-A006 = an input that its own table writes
    .what = A row writes a real or a switch that stands under `inputs` of the same table.
    .why = Inputs are given from outside: by a row of the table that has this one as a part, or by their start.

code-A007 = an input that nothing connects
    .what = No row writes an input of a part, and `set` gives it no value.
    .why = It keeps the start that the table of the part gives it, which may be meant.

code-A008 = a part whose clock counts in another unit
    .what = The clock of a part states another `unit` than the clock of the table that has it.
    .why =
        A run has one clock, the outer one. Numbers of the part that were meant in its own unit of time, rates above
        all, are taken in the outer one then.

code-D001 = a row of a scene that is no shape
    .what = A row of a scene does not begin with the word of a shape, or is not a line in quotes.
    .why =
        What a row draws is its first word: `circle`, `box`, `line`, `polyline`, `arrow`, `spring`, `text`,
        `path` or `group`.

code-D002 = an attribute that the shape does not have
    .what =
        A shape has an attribute of another shape or of none, a place without its word, or two attributes
        without a comma between them.
    .why = An attribute that is passed over would leave a picture that is not the one that was meant.

code-D003 = a shape that lacks an attribute
    .what = A circle has no place or no radius, a text no letters, a line no points.
    .why = Without them there is nothing that could be drawn.

code-D004 = a wrong number of coordinates or points
    .what =
        A point has one coordinate or three, a line, an arrow or a spring has not two points, or a polyline has
        one.
    .why = A scene is drawn in the plane; a polyline joins as many points as one likes.

code-D005 = a word that is no colour, or no side of a text
    .what =
        Behind `fill` or `stroke` stands no colour of the palette, or behind `align` none of `left`, `middle`
        and `right`.
    .why =
        Colours have names, so that each can have a shade for light and one for dark ground; `mix` gives those
        in between.

code-D006 = a text that cannot be read
    .what = The quote or a brace of a text is not closed, or what follows the colon in a brace are no digits.
    .why =
        Letters stand between single quotes, numbers in braces: `'x = {"{"}x:.2{"}"}'` shows two digits behind
        the point.

code-D007 = a group that is not there
    .what =
        A shape stands in a group that no row above it makes, or a shape for every element has no name with the
        counter.
    .why = A group is the frame of the shapes below it that name it.

code-D008 = an attribute that never counts
    .what = An attribute stands behind one of its kind without a condition.
    .why = Of each attribute the first whose condition holds counts, and what has no condition always holds.

code-D009 = a scene without a view
    .what =
        The scene does not say which part of the plane it shows, or the view has not four borders, or no width
        or height.
    .why =
        The view is `(left, upper, right, lower)` in units of the scene; borders may be expressions and follow
        what moves.

code-D010 = what a scene cannot read
    .what =
        A condition of a scene names `start` or `every`, or a shape takes a sum under a condition, which is a
        quantity of its own.
    .why = Nothing of a run depends on its scene: it adds no instants, no quantities and no rows.

code-X001 = a tolerance or a time that cannot stand there
    .what =
        An expectation is a condition that holds throughout the run, or a measure with its value: `max(h) = 2 +-
        1e-6`. A tolerance belongs to a value that is to be met, not to a bound, and is not below zero; the time of
        `at` is a number.
    .why = What the run is checked for is not clear.

code-X002 = a word that is no measure
    .what = What an exercise asks to be predicted begins with no measure of a run.
    .why =
        A measure is one number of a whole run: `final`, `min`, `max`, `drift` and `at` of a value, `first`,
        `duration`, `count` and `period` of a condition.

code-N070 = a rate that is found nowhere, or not there
    .what =
        `rate(x)` stands for what a row `solve rate(x): ..` finds. It has a meaning in rows that are solved, if
        one of them solves for it.
    .why =
        Elsewhere the rate of a real has a name only if it is given one: a real that is integrated. So each
        value has one row that gives it.

code-N071 = two rows solve for one real
    .what = Both rows hold always and say what one real must be so that their equations hold.
    .why = One number fulfils two equations by accident only. A second equation finds a second real.

code-N072 = a real cannot be found from its equation
    .what =
        The equation does not depend on the real that it should give, neither directly nor through the rows
        whose values it reads, and no row moves what stands in it, so that no derivative depends on it either;
        or it does, and is the only one from which another real can be found.
    .why = Whatever the real were, the equation would hold or not hold all the same.

code-P030 = unknowns, equations and bounds do not fit together
    .what =
        A row `solve x, y: ..` finds as many reals as it has equations, which are separated by commas. Bounds,
        `from 0 to 10`, are given for one real, the lower one first.
    .why = With fewer equations the values are not determined, with more of them they contradict each other.

code-R012 = a row that is solved has no solution there
    .what =
        From the last values on, no values of the targets were found for which the equations of the row hold.
        Between bounds: the equation has one sign from one bound to the other, or several solutions lie between them.
    .why =
        Where two solutions meet and vanish, the motion does not go on as the row says: a real device jumps to
        another law. A range on the solved value, which arises before, may switch to another row.

code-C064 = a constraint is differentiated
    .what =
        What a row solves for does not stand in its equation. The equation is differentiated along the motion,
        as often as the note says, until it does; what is solved is printed.
    .why =
        It is right so, and good to know: a position is held by a force that shows in the second derivative
        only. The equation as it was written, and the derivatives between, are kept from drifting.

code-N073 = a constraint that cannot be differentiated up to its real
    .what =
        The real does not stand in the equation, which is therefore differentiated along the motion until it
        does, at most four times. A row on the way has no derivative, or acts for a part of the time only, or
        the real is not reached.
    .why =
        `solve lam: x^2 + y^2 = L^2` says where a mass is, and lam is found from how it is accelerated: the
        derivatives lead from the one to the other. Rows on the way must act whenever the constraint does.

code-N074 = a start that cannot be the equilibrium
    .what =
        `steady` stands at a constant, at a real that no row integrates or that has a past of its own, with more
        than one guess; or another start value needs one that is found.
    .why =
        An equilibrium is where the rates of what is integrated are zero, all other start values being known.
        What follows from it by rows starts with the values that follow.

code-R014 = a state off a constraint
    .what =
        A constraint, and its derivatives below the one that is solved, do not hold at the start, where its row
        becomes active, or after an event. The notes say by how much, and which values near the present ones
        would satisfy them.
    .why =
        What is solved keeps a motion on the constraint that begins on it. A mass that is not at the end of its
        rod has no motion that the row describes. Less than the tolerance is corrected.

code-R015 = no equilibrium to start in
    .what =
        Reals start where their rates are zero (`steady`), and no such place was found near the guess: Newton's
        method came to nothing, and neither did following the motion with the time standing still. Or the ranges
        that hold at a place of rest are others than those for which it was found, again and again.
    .why =
        Something moves for ever: a tank without an outflow, a thermostat that switches on and off. Or there is
        an equilibrium, and the guess is far from it.
