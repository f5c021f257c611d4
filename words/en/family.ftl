family-with-values =
    .note = here { $all }
family-not-whole = the index `{ $expr }` is { $number }
    .begin = the range of `{ $of }` begins at { $number }
    .end = the range of `{ $of }` ends at { $number }
    .why-too-large = which is too large to count
    .why-no-whole = which is no whole number
    .help = give a whole number, or round it with `floor(..)`
family-not-constant = this is not known before the run
family-only-numbers-constants = only numbers, constants and counters decide which elements there are and which are read: one that is chosen in the run takes a row for each, with `when`
family-unknown-in-shape = `{ $name }` is no constant
family-circular-shape = this constant needs itself, or too many others
family-turned-round = the range of `{ $of }` is turned round: it goes from { $from } to { $to }
    .help = it has no elements; give the smaller end first
family-outside = `{ $element }` lies outside of `{ $base }`, which goes over { $range }
    .reaches-but = `{ $written }` reaches `{ $element }`, but `{ $base }` goes over { $range }
    .help = narrow the row with `for .. in ..`, or declare more elements
family-empty = family `{ $name }` has no elements here
family-lookup-with-index = `{ $base }` is a lookup, not a family
family-counter-in-range = `{ $end }` is an end of a range and has a counter in it
    .help = ends of ranges are numbers and constants; a sum up to a counter is a recurrence, `p[j] = p[j - 1] + x[j] one after another`
family-declared-here = declared here
family-index-count =
    `{ $name }` has { $found ->
        [one] 1 index
       *[other] { $found } indices
    }, its family { $wanted ->
        [one] 1 index
       *[other] { $wanted } indices
    }
family-family-alone = `{ $name }` is a family: it needs an index
    .also = goes over { $range }
    .help = name an element such as `{ $name }[j]`, or all of them: `{ $all }({ $name }[j] for j)`
family-no-family = there is no family `{ $base }`
    .help-declare-range = declare it with its range, such as `"{ $base }[1 .. N]": 0`
family-wrong-kind = `{ $base }` is a family of { $plural }; { $writer } { $plural_2 } only
    .assignment-sets = an assignment sets
    .relation-writes = a relation writes
family-declared-twice = the family `{ $base }` is declared twice
    .also = here first
    .help = give one of them another name; a single element such as `u[3]` may have a start of its own
family-family-and-single = `{ $base }` is declared with indices and without
    .also = with indices here
family-counter-hides = the counter `{ $name }` has the name of something else
    .help = give the counter another name
family-no-counter = there is no counter `{ $name }`
    .help-declare-under = declare it under `counters`, or give its range here: `for { $name } in 1 .. 10`
family-counter-alone = `{ $name }` counts nothing here
    .help = the row writes nothing with the index `{ $name }`: write such a target, or take one value of all, as with `sum(.. for { $name })`, or one condition, as with `any(.. for { $name })`
family-target-lacks = the row counts `{ $counter }`, but its target `{ $target }` does not
    .help = give the target the index `{ $counter }`, or take a sum `sum(.. for { $counter })`
family-counted-twice = the counter `{ $counter }` is counted twice
    .help = leave one of them out, or take another counter
family-diagonal-declared = a family is declared with one counter for each index
    .help = declare the whole family, `{ $base }[i, j]`; an entry `{ $base }[i, i]` then gives its diagonal a start of its own
family-odd-index = an index is a counter and a whole number at most
    .help = write `j`, `j + 1`, `N` or an element of a family of constants, `left[j]`: it may hold any whole numbers
family-odd-declaration = a family is declared with a counter or a range
    .help = write `u[j]` or `u[0 .. N + 1]`
family-range-as-index = a range of indices stands where a family is declared
    .help = name one element, and count with `for j in ..` behind the row
    .note = as columns of a run, `u[2..5]` names elements: two whole numbers, the lesser first, a million elements at most
family-network-target = a row does not write elements that are looked up
    .help = turn it round: let each element look up what it reads
family-too-large = written out the table would have { $n } terms; { $most } are the most
    .help = make it smaller
family-over-nothing = `{ $word }` over no elements has no value
    .goes = `{ $name }` goes from { $from } to { $to }
family-same-for-all = what `{ $word }` goes over does not read `{ $name }`: all { $n } are the same
    .help = write an index where an element is meant, `u[{ $name }]`
family-names-itself = a condition of the family `{ $own }` names the family itself
    .also = defined here
    .help = elements are decided one by one; use a switch for what was true before
family-gap = `{ $from }` is written by no row
    .written-no = `{ $from }` to `{ $to }` are written by no row
    .more-written = `{ $from }` and { $n } more are written by no row
    .also = row [{ $id }] writes { $range }
    .help = write them in a row of their own; without one they keep their start values
family-overlap = rows [{ $ids }] and [{ $ids_2 }] both write `{ $base }` over { $both }
    .also = what this writes is replaced
    .help = narrow one of them with `for .. in ..`
family-two-starts = `{ $first }` and `{ $second }` both give `{ $element }` a start value
    .also = what this gives is replaced
    .help = the narrower entry holds, whatever the order; of equal ones the later one does
family-reads-old-values =
    .row-reads-what = the row of `{ $target }` reads what it writes at another index, as it stood before
    .help = write `one after another` behind it if each element shall read the new value of the one before
