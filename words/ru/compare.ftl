# Сравнение двух прогонов; `$which` — прогон, о котором идёт речь: `first` или `second`.

compare-runs =
    { $named ->
        [true] { $model }, от 0 до { $until }
       *[false] от 0 до { $until }
    }
    {"  "}первый: { $first }
    {"  "}второй: { $second }
    .reversed = ; одновременное — в обратном порядке
compare-and = {" "}и{" "}
compare-border = { $kind ->
        [border] граница `{ $name }`
       *[kink] излом `{ $name }`
    }
compare-breaks-off = { $which ->
        [first] Первый
       *[second] Второй
    } прогон обрывается: { $fault }.
compare-lacks = { $which ->
        [first] Только в первом
       *[second] Только во втором
    } прогоне есть { $names }.
compare-part = Прогоны расходятся при t = { $time }: `{ $name }` там { $change ->
        [arises] наступает
       *[ends] прекращается
    } в { $which ->
        [first] первом прогоне, но не во втором
       *[second] втором прогоне, но не в первом
    }.
compare-same-changes = Изменения в обоих прогонах одни и те же ({ $changes }), их моменты совпадают.
    .apart = Изменения в обоих прогонах одни и те же ({ $changes }), их моменты отличаются не больше чем на { $late }.
compare-chatters = { $which ->
        [first] В первом
       *[second] Во втором
    } прогоне на границе { $n ->
        [1] дребезжит
       *[other] дребезжат
    } { $names }.
compare-same-values = Значения одинаковы.
compare-agree = Результаты согласуются: значения отличаются не больше чем на { $part } своего размаха (`{ $name }`).
compare-differ = Значения отличаются на величину до { $part } своего размаха (`{ $name }` при t = { $at }).
compare-differ-there = Там значения отличаются на величину до { $part } своего размаха (`{ $name }` на { $size } при t = { $at }), в остальном — до { $away } (`{ $away_name }` при t = { $away_at }).
    .only = Там значения отличаются на величину до { $part } своего размаха (`{ $name }` на { $size } при t = { $at }), в остальном они одинаковы.
compare-when = От { $from } до { $to }
    .several = { $n ->
        [one] { $n } раз
        [few] { $n } раза
       *[other] { $n } раз
    }, впервые от { $from } до { $to },
compare-stays = { $which ->
        [first] первый
       *[second] второй
    } прогон скользит вдоль { $kind ->
        [border] границы `{ $name }`
       *[kink] излома `{ $name }`
    }
    .rests = { $which ->
        [first] первый
       *[second] второй
    } прогон покоится на { $kind ->
        [border] границе `{ $name }`
       *[kink] изломе `{ $name }`
    }
compare-crosses = { $which ->
        [first] а второй
       *[second] а первый
    } переходит через границу туда и обратно { $n ->
        [one] { $n } раз
        [few] { $n } раза
       *[other] { $n } раз
    }.
    .unknown = { $which ->
        [first] а второй
       *[second] а первый
    } переходит через границу туда и обратно.

compare-column-changes = изменения
compare-column-both = в обоих
compare-column-first-only = только в первом
compare-column-second-only = только во втором
compare-column-mean = среднее отличие
compare-column-largest = наибольшее
compare-column-at = при t
compare-column-difference = наибольшее отличие
compare-column-relative = от размаха
compare-column-change = изменение
compare-column-to = на
compare-column-first = первый прогон
compare-column-second = второй прогон
compare-column-distance = второй - первый
compare-loop = В таблице есть алгебраический цикл ({ $message }): режим событий его решает, а такты проходят по нему один раз за такт и расходятся, если его наклон меньше -1.
