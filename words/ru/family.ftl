family-with-values =
    .note = здесь { $all }
family-not-whole = индекс `{ $expr }` равен { $number }
    .why-too-large = это слишком много для счёта
    .why-no-whole = это не целое число
    .help = задайте целое число или округлите с помощью `floor(..)`
family-not-constant = до прогона это неизвестно
family-only-numbers-constants = число элементов определяют только числа, константы и счётчики
family-unknown-in-shape = `{ $name }` — не константа
family-circular-shape = эта константа зависит от себя самой или от слишком многих других
family-turned-round = { $of }: концы переставлены, от { $from } до { $to }
    .help = в нём нет элементов; сначала запишите меньший конец
family-outside = `{ $element }` вне семейства `{ $base }`, индекс которого { $range }
    .reaches-but = `{ $written }` доходит до `{ $element }`, а индекс семейства `{ $base }` — { $range }
    .help = ограничьте строку с помощью `for .. in ..` или объявите больше элементов
family-declared-here = объявлено здесь
family-index-count =
    у `{ $name }` { $found ->
        [one] { $found } индекс
        [few] { $found } индекса
       *[other] { $found } индексов
    }, а у семейства { $wanted ->
        [one] { $wanted } индекс
        [few] { $wanted } индекса
       *[other] { $wanted } индексов
    }
family-family-alone = `{ $name }` — семейство: нужен индекс
    .also = индекс: { $range }
    .help = назовите элемент, например `{ $name }[j]`, или все сразу: `{ $all }({ $name }[j] for j)`
family-no-family = семейства `{ $base }` нет
    .help-declare-range = объявите его с промежутком, например `"{ $base }[1 .. N]": 0`
family-wrong-kind =
    `{ $base }` — семейство, его элементы: { $plural ->
        [constants] константы
        [reals] вещественные переменные
        [switches] переключатели
        [ranges] диапазоны
        [situations] ситуации
       *[events] события
    }; { $writer } только { $plural_2 ->
        [switches] переключатели
       *[reals] вещественные переменные
    }
    .assignment-sets = присваивание задаёт
    .relation-writes = соотношение записывает
family-declared-twice = семейство `{ $base }` объявлено дважды
    .also = впервые здесь
    .help = дайте одному из них другое имя; у отдельного элемента, например `u[3]`, может быть своё начальное значение
family-family-and-single = `{ $base }` объявлено и с индексами, и без них
    .also = здесь с индексами
family-counter-hides = счётчик `{ $name }` носит чужое имя
    .help = дайте счётчику другое имя
family-no-counter = счётчика `{ $name }` нет
    .help-declare-under = объявите его в `counters` или задайте промежуток здесь: `for { $name } in 1 .. 10`
family-counter-alone = `{ $name }` здесь ничего не считает
    .help = строка не записывает ничего с индексом `{ $name }`: запишите такую величину или возьмите сумму `sum(.. for { $name })`
family-target-lacks = строка перебирает `{ $counter }`, а записываемая `{ $target }` — нет
    .help = дайте ей индекс `{ $counter }` или возьмите сумму `sum(.. for { $counter })`
family-odd-index = индекс — самое большее счётчик и целое число
    .help = запишите `j`, `j + 1`, `N` или элемент семейства констант, `left[j]`: в нём могут быть любые целые числа
family-odd-declaration = семейство объявляется со счётчиком или с промежутком
    .help = запишите `u[j]` или `u[0 .. N + 1]`
family-range-as-index = промежуток индексов пишется там, где семейство объявляется
    .help = назовите один элемент и перебирайте с помощью `for j in ..` в конце строки
family-network-target = строка не записывает элементы, которые ещё нужно отыскать
    .help = переверните: пусть каждый элемент отыскивает то, что читает
family-too-large =
    в развёрнутой таблице было бы { $n ->
        [one] { $n } слагаемое
        [few] { $n } слагаемых
       *[other] { $n } слагаемых
    }, а допустимо не больше { $most }
    .help = уменьшите её
family-over-nothing = `{ $word }` без элементов не имеет значения
    .goes = `{ $name }` идёт от { $from } до { $to }
family-names-itself = условие семейства `{ $own }` называет само семейство
    .also = определено здесь
    .help = элементы определяются один за другим; для прежней истинности возьмите переключатель
family-gap = `{ $from }` не записывает ни одна строка
    .written-no = `{ $from }` .. `{ $to }` не записывает ни одна строка
    .more-written = `{ $from }` и ещё { $n } не записывает ни одна строка
    .also = строка [{ $id }] записывает { $range }
    .help = запишите их отдельной строкой; без неё они сохраняют начальные значения
family-overlap = строки [{ $ids }] и [{ $ids_2 }] обе записывают `{ $base }`: { $both }
    .also = записанное здесь заменяется
    .help = ограничьте одну из них с помощью `for .. in ..`
family-reads-old-values =
    .row-reads-what = строка для `{ $target }` читает то, что сама записывает при другом индексе, в прежнем виде
    .help = запишите в конце `one after another`, если каждый элемент должен читать новое значение предыдущего
