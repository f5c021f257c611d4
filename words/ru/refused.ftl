# Командные строки, которые не принимаются.

refused-values = возможные значения
refused-subcommands = подкоманды
refused-tip = подсказка:
refused-more = Подробнее: `--help`
refused-conflict = `{ $argument }` и `{ $other }` вместе не указываются
    .twice = `{ $argument }` указывается один раз
    .several = `{ $argument }` не указывается вместе с{ $others }
refused-no-equals = значение `{ $argument }` пишется после знака равенства
refused-value = у `{ $argument }` не может быть значения `{ $value }`
    .missing = не хватает значения для `{ $argument }`
    .why = у `{ $argument }` не может быть значения `{ $value }`: { $why }
refused-command = команды `{ $command }` нет
    .missing = после `{ $command }` нужна подкоманда
refused-required = не хватает аргументов:{ $missing }
refused-count = { $wanted ->
        [one] для `{ $argument }` нужно { $wanted } значение, а указано { $n }
        [few] для `{ $argument }` нужно { $wanted } значения, а указано { $n }
       *[other] для `{ $argument }` нужно { $wanted } значений, а указано { $n }
    }
    .more = лишнее значение `{ $value }` после `{ $argument }`
    .least = { $wanted ->
        [one] для `{ $argument }` нужно хотя бы { $wanted } значение, а указано { $n }
       *[other] для `{ $argument }` нужно хотя бы { $wanted } значения, а указано { $n }
    }
refused-unknown = лишний аргумент `{ $argument }`: такого здесь нет
refused-no-utf8 = среди аргументов есть не текст в UTF-8
refused-near =
    .and = { "`, `" }
    .command = { $n ->
        [1] есть похожая команда: `{ $near }`
       *[other] есть похожие команды: `{ $near }`
    }
    .argument = { $n ->
        [1] есть похожий аргумент: `{ $near }`
       *[other] есть похожие аргументы: `{ $near }`
    }
    .value = { $n ->
        [1] есть похожее значение: `{ $near }`
       *[other] есть похожие значения: `{ $near }`
    }
refused-pass = чтобы передать `{ $argument }` как значение, наберите `{ $form }`
refused-exists = есть `{ $form }`
