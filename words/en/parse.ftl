parse-too-deep =
    .help = give a part of it a name: a row of its own
parse-nested-table = the brackets of the table nest too deeply
    .help = a table holds rows of values, nothing deeper
parse-unknown-field = { $owner } has no field `{ $name }`
    .help-did-you = did you mean `{ $near }`? This looks the same, but has Cyrillic letters
    .note = its fields: { $known }
parse-repeated-key = `{ $name }` is given twice
    .label = again here
    .also = first here
parse-leave-them-out = leave one of them out
parse-wrong-type = { $what } takes { $expected }, found { $found }
    .help-expression-quotes = an expression stands in quotes
    .help-text-between = text stands between double quotes
parse-missing-field = { $owner } lacks the field `{ $name }`
parse-unknown-word = { $what } cannot be `{ $word }`
    .note = it takes one of { $known }
parse-bad-character = an invisible character (U+{ $code }) cannot stand here
    .help-write-plain = write a plain blank
    .cannot-here = `{ $shown }` cannot stand here
    .help-put-names = put names with unusual characters between backticks
parse-unclosed-backtick = the backtick that opens a name is not closed
    .help = close the name with a second backtick
parse-bad-number = `{ $text }` is not a number: { $why }
parse-expected = expected { $what }, found { $found }
    .after = { $what } after `{ $next }`
parse-condition-first = a relation begins with the real that it writes, and its condition comes last
    .help = turn it round
    .help-move = a real is given its value by a row of `relations`: write `{ $meant }` there
parse-switches-given = an assignment names the switches that it turns on, and those that it turns off with `!`
parse-unclosed-parenthesis = this parenthesis is not closed
    .also = `)` expected here
parse-stray-parenthesis = no parenthesis is open here
parse-missing-open = a `(` is missing behind `{ $procedure }`
    .help = write `(`
parse-leave-out = leave it out
parse-foreign = `{ $text }` is written `{ $shown }` here
    .help = write `{ $shown }`
    .no-meaning = `{ $text }` has no meaning here
parse-equality = `{ $text }` is not available: computed values are hardly ever equal
    .help = say on which side a value lies with `<`, `<=`, `>` or `>=`
    .note = if `{ $name }` is a switch, it is a condition by itself: `{ $name }`, or `!{ $name }` while it is off
parse-truth-compared = a truth value is a condition by itself and is compared with nothing
parse-comparison-two-sides = a comparison has two sides
parse-chained-comparison =
    .help = write two comparisons
parse-chained-argument =
    .help = name it as a range, `name: { $repaired }`, and give that name
parse-wrong-list = { $row } stands among the { $stands_in }
    .note = a range consists of comparisons only, such as `h < R`
    .help-move-situations = move it to `situations`
    .help-move = move it to `{ $found }`
parse-unknown-mark =
    .help-put-name = put a name of two words between backticks
parse-mark-on-situation = `{ $mark }` marks a range, and this is a situation
    .note = a range consists of comparisons only, such as `h < R`, and stands in `ranges`
    .help = mark the ranges that the condition names
parse-trailing = { $what } should end here, found { $found }
parse-keyword = `{ $word }` is a word of the language and cannot be a name
    .help = choose another name
parse-contradiction = `{ $first }` and `{ $second }` exclude each other
parse-several-targets = columns write several reals at once only with `once: true`
    .help = write `:=` with a `when` that is an event, or one row for each real
parse-uneven-targets =
    { $targets ->
        [one] 1 real
       *[other] { $targets } reals
    } on the left, { $values ->
        [one] 1 value
       *[other] { $values } values
    } on the right
    .help = write one value for each real
parse-uneven-conditions = { $targets } reals on the left, { $conditions } conditions behind `when`
    .help = write one condition for all of the reals, or one for each
parse-no-reduction = `{ $word }` is not taken over the elements of a family
    .note = over elements: { $known }
parse-bad-name = `{ $text }` is not a name: { $why }
parse-empty-name = a name is empty
parse-unknown-format = tables of format { $found } cannot be read
    .help = this program reads format 1
parse-bad-id =
    .help = an id is one word: `[3a]`, `[3a after 3]`, `[before 3]`
parse-switch-in-relation =
    .help-switches-set = switches are set by an assignment
    .help-switches-set-2 = switches are set by an assignment, in `assignments`: `{ $meant }`
parse-comparison-as-number =
    .help = name it as a range, `name: a < b`, and let rows hold `when name`
parse-out-of-range = `{ $field }` must be { $expected }
parse-missing-operator = missing operator between `{ $left }` and `{ $right }`
    .label = an operator is missing before this
parse-missing-and = if both are to hold, write `&`
    .is = a truth value is a condition by itself: write `{ $left }`, or `!{ $left }` for its opposite
parse-if-product-meant = if a product is meant, write `*`
parse-missing-parentheses = missing parentheses around `{ $argument }`, the argument of `{ $procedure }`
    .help = an argument stands in parentheses
    .help-all = write all of the argument in parentheses behind `{ $procedure }`
parse-no-row = this is not a row
parse-nameless = { $row } has no name
    .help = write its name and a colon before it
parse-empty-row = this row is empty
parse-forms-of-ranges = a row reads `name: a < b`
parse-forms-of-situations = a row reads `name: a & !b` or `event name: a & !b`
parse-forms-of-assignments = a row reads `when a & !b: name, !name`
parse-forms-of-relations = a row reads `name = expression when a & !b`
parse-forms-of-reactions = a row reads `A + 2 B -> C : k` or `A -> B at rate`
parse-forms-of-scene = a row reads { $form }
parse-forms-of-rows = a row reads `name = expression when a`, `name: a & !b` or `when a: name`
parse-empty-list = `{ $field }` is empty
parse-no-measure = a measure is missing
    .no-measure = there is no measure `{ $kind }`
    .help = there are { $known }, as in `max(h)` or `first(h < 0)`
parse-name =
    .help = write any other name between backticks
parse-number =
    .help = write `{ $digits }`, without quotes and unit
    .help-unit = write a number without quotes, in the unit that the table has for it
    .help-write-like = write it like `1e-3`
    .help-leave-out = leave the `_` out
parse-truth =
    .help = write `{ $truth }`
parse-write-quotes = write it in quotes
parse-fields =
    .help-write-name = write `(name: ..)`, field names without quotes
parse-entries =
    .help-write = write `{ "{" }"name": value{ "}" }`
    .names-values-such = names and values such as `{ "{" }"name": { $example }{ "}" }`
    .what = the bare word `{ $written }`
parse-unclosed-bracket = the bracket before the row is not closed
    .help = write `[{ $id }]`
parse-other-body =
    .help = an assignment of switches begins with `when`
parse-targets =
    .help-rate-write = for a rate write `{ $real } = integral(..)`
    .help-left-real = left of `=` stands the real that the row writes, alone
    .help = name the real that the row writes
parse-literal = `!` stands before names only
    .help-two-negations = two negations cancel out: leave both out
    .help-turn-comparison = turn the comparison round: write `{ $opposite }` and leave `!` out
parse-literal-kind = this is a number, neither true nor false
    .help = compare it with another value, or name a range, situation or switch
parse-no-conjunction = an argument is one literal, not a conjunction
    .help = name the conjunction as a situation and give its name
parse-join = this expression chains more than { $MAX_HEIGHT } operations
parse-nested = this expression nests deeper than { $MAX_NESTING } levels
parse-negated-operand = a truth value stands where a number is needed
parse-condition-in-parentheses = a condition does not stand in parentheses
    .help = leave them out, or name what is inside as a situation of its own
    .help-negated = name what is inside as a situation of its own, `both: a & b`, and write `!both`
parse-two-bounds = bounds are two: a lower and an upper one
    .help = write `bounds: [0, 10]`
parse-rate-of-elements = the rates of the elements of `{ $base }` are not solved for as such
    .help = solve for a family of its own, `solve v[j]: ..`, and write `{ $base }[j] = integral(v[j])`
parse-bounds-of-several = bounds are given for one target only
    .help = give each target a row of its own, with its bounds
parse-uneven-equations =
    { $targets ->
        [one] { $targets } real
       *[other] { $targets } reals
    } cannot be found from { $equations ->
        [one] { $equations } equation
       *[other] { $equations } equations
    }
    .help = name as many reals as there are equations, which are separated by commas
parse-no-condition = this transition does not say when it fires
    .help = write `a -> b when condition: x := value; y := value`
parse-tolerance = a tolerance stands behind a value that is to be met
    .help = write `max(h) = 2 +- 1e-6`, or a bound without `+-`
    .below-zero = a tolerance is not below zero, and this one is { $value }
parse-at-time = the time of `at` is a number
    .help = write it as `at(h, 1.5)`
parse-comparisons =
    .help = a range has at least one comparison
parse-condition =
    .help = name at least one range, situation or switch, or leave it out
parse-switches-to-set =
    .help = name the switches that the row sets
parse-count =
    .whole-number = a whole number from 1 to { $MOST_TIMES }
parse-axis =
    .numbers = { $n } numbers
    .rows-above = { $per_row } as in the rows above
parse-row =
    .what = a row of `{ $list }`
parse-relation =
    .help = give `once: true` and a `when` that is an event, or one row for each real
parse-id = this id is empty
    .after-before = `after` and `before` cannot be ids
    .id-holds = an id holds no blanks
    .id-brackets = a bracket in this id has no other
parse-or = { " or " }
parse-the-end = the end
parse-a-comment = a comment
