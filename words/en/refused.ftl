# Command lines that are refused; in English as clap says it.

refused-values = possible values
refused-subcommands = subcommands
refused-tip = tip:
refused-more = For more information, try '--help'.
refused-conflict = the argument '{ $argument }' cannot be used with '{ $other }'
    .twice = the argument '{ $argument }' cannot be used multiple times
    .several = the argument '{ $argument }' cannot be used with:{ $others }
refused-no-equals = equal sign is needed when assigning values to '{ $argument }'
refused-value = invalid value '{ $value }' for '{ $argument }'
    .missing = a value is required for '{ $argument }' but none was supplied
    .why = invalid value '{ $value }' for '{ $argument }': { $why }
refused-command = unrecognized subcommand '{ $command }'
    .missing = '{ $command }' requires a subcommand but one was not provided
refused-required = the following required arguments were not provided:{ $missing }
refused-count = { $wanted } values required for '{ $argument }' but { $n } { $n ->
        [0] was
        [1] was
       *[other] were
    } provided
    .more = unexpected value '{ $value }' for '{ $argument }' found; no more were expected
    .least = { $wanted } values required by '{ $argument }'; only { $n } { $n ->
        [0] was
        [1] was
       *[other] were
    } provided
refused-unknown = unexpected argument '{ $argument }' found
refused-no-utf8 = invalid UTF-8 was detected in one or more arguments
refused-near =
    .and = { "', '" }
    .command = { $n ->
        [1] a similar subcommand exists: '{ $near }'
       *[other] some similar subcommands exist: '{ $near }'
    }
    .argument = { $n ->
        [1] a similar argument exists: '{ $near }'
       *[other] some similar arguments exist: '{ $near }'
    }
    .value = { $n ->
        [1] a similar value exists: '{ $near }'
       *[other] some similar values exist: '{ $near }'
    }
refused-pass = to pass '{ $argument }' as a value, use '{ $form }'
refused-exists = '{ $form }' exists
