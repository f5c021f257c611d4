foreign-write = write `{ $meant }`
foreign-drop-invisible =
    .help-leave-out = leave it out
    .help-write-plain = write plain blanks
foreign-id-without-brackets = the id `{ $id }` stands without its brackets
    .help = write `[{ $id }]`
foreign-choice = a row has one value; which row holds is said by `when`
    .help = write a row for each value, `x = a when condition`, and a last one `x = b otherwise`
    .write-two-rows = write two rows: `{ $target } = { $first } when { $condition }` and `{ $target } = { $second } otherwise`
foreign-unit-behind-number = the unit `{ $unit }` stands behind the number `{ $number }`
    .note = if a product is meant, write `*` between them
    .help = numbers in rows have no unit: write the number in the unit of what it stands beside
foreign-percent-of = a tolerance is a difference and no part: multiply the part by `{ $value }`
foreign-prefix =
    .why = `{ $letter }` does not stand for a power of ten
    .note = if a product with `{ $letter }` is meant, write `{ $digits } * { $letter }`
foreign-sign-of-another-list = { $row } is written with `{ $meant }`, not with `{ $sign }`
foreign-condition-in-front = a row gives a value to a real, and its condition stands behind it
foreign-arguments-in-brackets = the arguments of `{ $procedure }` stand in round parentheses
    .help = write `(` and `)`
foreign-rate-on-the-left = a row gives a real and not its rate: `{ $real }` is the integral of it
    .help = write the integral
foreign-comment = `{ $sign }` begins no comment in a row
    .help = a comment begins with `#`
    .note = for a quotient without its fraction write `floor(a / b)`
