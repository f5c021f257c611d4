# Pages of codes: what the check finds, and how a run ends.

code-C001 = two rows can write one real at the same time
    .what =
        Two rows replace the value of a real, and their conditions can hold together. Neither condition is a
        special case of the other. The state named in the note is one in which both rows act.
    .why =
        The row that stands below wins, so that the result depends on the order of the rows and not on anything
        that was said about the model.

code-C002 = rows write one name in the same tick, and their order matters
    .what =
        Several rows write one real (or assignments one switch) in the same tick, and it looks meant: the lower
        one is the special case, works on the value the upper one wrote, or holds an integral fast.
    .why =
        Nothing is wrong. A row moved up or down changes the result, which is good to know when the table is
        extended.

code-C003 = assignments contradict each other
    .what =
        One assignment sets a switch and another clears it, and both conditions can hold in one tick; or the
        lower one holds only because of what the upper one has just written, and takes it back.
    .why =
        The assignment that stands below wins. Assignments are scanned from above and each sees what those above
        it wrote, so that a toggle written as two rows toggles twice.

code-C010 = a value goes stale
    .what =
        Every row of a real has a condition, and there is a state, named in the headline, in which none of them
        holds although something reads the real there. It keeps the value it had when a row last wrote it.
    .why =
        The value is about a state that is gone: a force of contact that goes on acting in flight. Integrals are
        left out, because they are meant to keep their values, and so is what is written at events only.

code-C020 = a condition can never hold
    .what =
        No state satisfies the range, situation or condition: its parts exclude each other, over their literals
        or over the intervals of their ranges. Constants count with their present values, except in comparisons
        between constants.
    .why = The rows that depend on it never act.

code-C021 = a condition always holds
    .what = No state fails to satisfy the range, situation or condition.
    .why = It can be left out, unless one of its borders is not what was meant.

code-C030 = a row has no effect
    .what = Whenever the row acts, a row below it writes the same real before anything reads what the row wrote.
    .why =
        Removing the row would change nothing; more likely the row below lacks a condition, or was meant to work
        on the value (`x = x + ...`).

code-C031 = something is said twice
    .what =
        A row repeats another one, a row of a situation holds only where other rows of it hold anyway, or two
        ranges have the same comparisons.
    .why =
        Mostly it is only longer than needed. A repeated integral, or a repeated row that works on its own
        value, counts twice.

code-C040 = a name is never used
    .what = A constant, real or switch is declared, and no rule names it.
    .why = Perhaps the rule that should use it is missing or names another one.

code-C041 = no rule writes a real
    .what = A real is read, but no rule writes it, so that it keeps its start value.
    .why =
        Either its row is missing, or it is a constant: then it can be changed by `--set`, by cases and in
        sweeps, and stays out of the output.

code-C042 = a switch is latched for good
    .what =
        Assignments only ever set a switch and never clear it, or the reverse. If it starts with that value
        anyway, they change nothing.
    .why =
        A switch keeps its value until a rule changes it, other than a situation, which ends with its condition.

code-C043 = no rule reads a condition
    .what = A range, situation, event or switch is defined or written, and no condition names it.
    .why = It still stands in the output, where it may be all that is wanted.

code-C044 = a setting of the clock has no effect
    .what =
        The clock has a `step_formula`, but the run is event-accurate and its method chooses its steps itself.
    .why =
        Only ticks, and methods with fixed steps, read the formula. Whoever wrote it expects steps that the run
        does not take.

code-C045 = arguments leave nothing of a procedure
    .what =
        A procedure has constant arguments that leave nothing of what it is for: a wave of frequency 0, pulses that are as
        long as their period or have none, an interval whose lower border lies above its upper one.
    .why =
        It runs all the same and gives a constant value, or a single pulse. As a rule two arguments stand the wrong way round.

code-C090 = the check left questions open
    .what =
        Some questions about conditions would have taken long and were given up; the notes say which. Or the
        table is so large that the brief check before a run did not look at it.
    .why =
        The check must not keep a run waiting. `situ check` takes more time than the check before a run, `situ
        check --thorough` as much as it needs. Conditions over fewer names, or situations with fewer rows, make
        the questions easier.

code-C050 = rows need each other's results in one tick
    .what =
        Following the values from row to row leads back to the first row without passing an integral, or another
        procedure with memory.
    .why =
        A tick run breaks the circle where a row reads a value from above the row that writes it: that one is a
        tick old. The tick run then iterates once a tick; if the loop amplifies, it runs away, and a smaller
        step does not help.

code-C051 = a value is read above the row that computes it
    .what =
        A row reads a real above the row that computes it, and what that is computed from has changed since. So
        the row gets the value of the tick before.
    .why =
        Rows are scanned from above. The value lags by one tick, which costs accuracy and can cost stability;
        often the rows only stand in the wrong order.

code-C052 = a row changes its own value again in every tick
    .what =
        A row reads its own target, and no row above it has computed the value in the same tick. So it works on
        its own result of the tick before.
    .why =
        The value grows or shrinks with the number of ticks instead of with time, and a run with another step
        gives another result. The event-accurate run refuses such a row.

code-C053 = a range may depend on its own effect
    .what =
        A row that acts while a range holds computes a real, and what the range looks at follows from that real
        in the same instant. So the range may ask for the opposite of what it is.
    .why =
        Where neither truth fits, ticks alternate between both. The event-accurate run slides: the range counts
        with the share at which its two sides are equal, and may drive no event and no assignment there.

code-C054 = a range sees a jump one microstep late
    .what =
        A row reads a value above the row that makes it jump, at an event or by its own condition, and a range
        looks at what the reading row computes.
    .why =
        At an instant rows go in written order, as in a tick, so that the row above still gives what follows
        from the value before. The range turns in the next microstep, in ticks in the next tick: events that
        arise together may come in another order than meant.

code-C060 = units do not agree
    .what =
        Two sides of a row measure different things: a sum of metres and seconds, an integral whose target is
        not in the unit of its argument times that of the time, a sine of kilograms. A quantity without a unit
        takes what its rows need; the notes say which row decided.
    .why =
        A value that is compared with or added to one of another kind is a slip in the formula or in the unit. A
        number beside a quantity is in the unit of that, as a factor it has none, unless it is the step between
        two units (`h = 0.01 * d`); 0 fits everything.

code-C061 = units differ by a factor
    .what =
        Two sides of a row measure the same in steps of another size: centimetres and metres, degrees and
        radians, minutes and seconds. The report has the factor. Or a product
        takes a temperature in degrees Celsius or Fahrenheit beside a constant in K: `n * R * T / V`.
    .why =
        situ computes with the numbers as they stand; a unit is a label. A sine takes radians (`sind` takes
        degrees), and an integral over seconds of a rate per minute is 60 times too large. What is proportional to
        a temperature needs it from the absolute zero on; terms of a sum, `R0 * (1 + a * T)`, and differences of
        temperatures, `k * (T1 - T2)`, are right on every scale.

code-C062 = unknown unit
    .what =
        A symbol in a unit is not one of the SI, of everyday engineering, or of these in Russian. It is taken
        for a unit of its own that agrees with itself only.
    .why =
        A mistyped unit would otherwise hide what the check of units is for. What counts things has no unit; say
        in `about` what it counts.

code-C063 = not quite the factor between two units
    .what =
        A constant whose unit says that it converts one unit into another, such as `deg/rad`, is near the exact
        factor but not equal to it.
    .why = A rounded or mistyped factor makes every result wrong by as much, and nothing else shows it.

code-R001 = a value is infinite or NaN
    .what =
        A row gave a value that is infinite or NaN: it divided by zero, took the root or logarithm of a negative
        number, or grew beyond the largest number. The report says in which tick, and what the row read.
    .why =
        Everything computed from such a value is lost, so that the run ends before the tick that failed; the
        rows up to there are kept. If the values grow without bound shortly before, a shorter `step` may be the
        cure.

code-R002 = a run cannot start
    .what =
        A setting of the clock is missing or makes no sense, a start value is infinite or NaN, a period of
        `every` is not above zero, or a delay is negative or too long to be kept, once the constants are put in.
    .why =
        The values come from constants, which cases and `--set` can change, so that this shows only when a run
        begins.

code-R003 = a delay is no whole number of ticks
    .what =
        A tick run keeps the past tick by tick, so that a delay lasts a whole number of them. The report says to
        what it is rounded.
    .why = The trajectory is that of the rounded delay.

code-R004 = a derivative is taken of what depends on it
    .what =
        A row with `derivative` feeds, through other rows, what it takes the derivative of. Between two events
        the rate of change would have to be known before the value that changes.
    .why =
        Such a circle has a meaning in ticks, where a derivative looks back by one of them. In continuous time
        it is an equation for what moves, not a rule that computes it (a system of higher index).

code-R005 = a level row computes an integrated real from itself
    .what =
        In event stepping a row with `=` that writes an integrated real fixes it for as long as its situation
        holds. This one computes the value from the real itself.
    .why =
        A tick does that once a tick. Between two events there is no such count: the row would act without end.

code-R006 = an algebraic loop has no solution
    .what =
        Reals that are computed from each other, without an integral between them, must be solved together. Here
        no values fulfil all rows, or more than one set of values does, or none was found.
    .why =
        Event stepping solves such loops exactly (a tick goes round once each tick instead). Without a single
        solution the motion is not determined.

code-R007 = assignments undo each other without end
    .what =
        Assignments of switches are repeated until a scan writes nothing new. Here each scan undoes what the one
        before did.
    .why =
        A tick scans them once, so that the switches change from tick to tick. In event stepping no time passes
        between two scans.

code-R008 = events follow each other without end
    .what = Events happen at one time, or at times that come closer and closer, and there is no end to it.
    .why =
        Either each event causes the next at once, or the time between them shrinks to nothing and no motion is
        known beyond.

code-R009 = a border is crossed back and forth without end
    .what =
        On both sides of a border the motion leads back to it. The state would slide along the border, but a
        range on it takes part in an event or an assignment, which would happen without end; or the border is one
        along which no slide is followed, such as the end of a step of `floor`. The report says which.
    .why =
        A slide has a meaning for relations, as a mixture of both sides. An event that happens infinitely often
        has none.

code-R010 = the integration method finds no next step
    .what =
        Each trial of a step failed, down to the shortest one. The report says when, for which reason, and which
        real is to blame.
    .why =
        Most often a value runs away to infinity or leaves what its row is defined on; sometimes the tolerance
        asks for more digits than numbers have.

code-R011 = infinitely many events gather at a time
    .what =
        Events come faster and faster, so that infinitely many of them happen before a certain time, and nothing
        says how things go on from there.
    .why =
        Where each event is a jump away from a border, the state rests on that border afterwards. Here no jump
        pushes against a border.

code-R020 = a range or switch chatters
    .what =
        A range turns by its own effect itself, in a large share of the ticks. The report says how often, from
        when on, and names the one of a circle of ranges and switches that turns most often. An event-accurate
        run says from when on it slides along the border.
    .why =
        Both sides of the border lead back to it. In ticks the state goes back and forth across it, as far as a
        tick takes it, and what counts or adds up such turns depends on the step. An event-accurate run slides
        along the border.

code-R021 = instants gather
    .what =
        An event fires at shorter and shorter distances, and the tick run goes on beyond the time at which
        infinitely many of them would have happened. An event-accurate run says that it took them together
        there.
    .why =
        Ticks cannot follow: the event fires once in two ticks at best, or misses its condition and never fires
        again. What follows depends on the step.

code-R022 = a range was true or false for a single tick
    .what =
        A range that does not act on itself turned, and turned back in the next tick. The report says when it
        did so for the first time.
    .why =
        A tick looks at ranges once. With a longer step, or a start that lies a little elsewhere, this would
        have been missed.

code-R023 = an event cannot fire again, and its quantity runs on
    .what =
        The condition of an event has stayed true since the event fired, and the quantity that the event should
        turn back goes on beyond the border.
    .why =
        An event fires when its condition arises. What it did in that tick was not enough to bring the quantity
        back across the border, so that it never arises again.

code-R024 = a schedule is due more than once in a tick
    .what = The period of `every` is shorter than a tick.
    .why =
        A tick fires a schedule at most once, so that whatever counts or adds up its firings comes out too
        small.

code-R025 = a run reached its limit
    .what =
        A run ends with an error after 10^7 event instants, 10^9 ticks or steps, or 10^10 rows. The report says
        how far it has come and what there was so much of.
    .why =
        Such a run would not end within any useful time: most often a period, a delay, a step or a distance of
        rows is given in another unit than the rest. The settings `max_events`, `max_steps` and `max_rows` allow
        more.

code-R026 = start values were moved onto a constraint
    .what =
        Start values do not satisfy a constraint, by less than the tolerance: they were moved to the nearest
        ones that do. The report says which and by how much, the first row of the output shows them.
    .why = Numbers with few digits rarely satisfy an equation. What is off by more is an error (R014).

code-R027 = a jump leads onto a border
    .what =
        A row with `:=` puts a quantity where a comparison is an equality, up to rounding, and nothing moves it
        off there: the last bits of the numbers decide whether the range holds.
    .why =
        Whoever jumps back to where an event was located comes down on its border. Ticks, which notice the event
        a little late, come down beside it, on either side. An offset, or another limit, says what is meant.

code-R028 = a comparison has no value
    .what =
        A range compares what has no value at the start of an event-accurate run, or after a jump, like the quotient
        of 0 and 0. Its truth is not known there. (Where roots, powers, logarithms, arc sines and arc cosines have no
        value the comparison does not hold, and the edge of that is an event.) Ticks take such a comparison as false.
    .why =
        A comparison is followed along its margin, which must be a number for that. What is compared can mostly be
        written so that it is one everywhere.

code-R029 = a measure without a value in a part of the run
    .what =
        `max(..)` or `min(..)` is measured of what has no value for some time, like the root of a negative number or
        the quotient of 0 and 0. The result is that of the other times.
    .why =
        The true extreme may lie where there is no value, and an expectation of the measure is met by the other times
        alone. Measure what has a value everywhere, or repair what has none.

code-R040 = an argument outside of a lookup
    .what = A row asks for the value of a lookup before its first point or behind its last one.
    .why =
        Nothing was measured there. What holds outside of the points is said with `outside`: `hold` keeps the
        value of the end, `extend` goes on as on the last piece, `periodic` repeats the points.
