# Числа с существительными; существительное приходит по-английски и выбирает слово.
summary-counted =
    { $noun ->
        [step]
            { $n ->
                [one] { $n } шаг
                [few] { $n } шага
               *[other] { $n } шагов
            }
        [tick]
            { $n ->
                [one] { $n } такт
                [few] { $n } такта
               *[other] { $n } тактов
            }
        [row]
            { $n ->
                [one] { $n } строка
                [few] { $n } строки
               *[other] { $n } строк
            }
        [rule]
            { $n ->
                [one] { $n } правило
                [few] { $n } правила
               *[other] { $n } правил
            }
        [time]
            { $n ->
                [few] { $n } раза
               *[other] { $n } раз
            }
        [mode]
            { $n ->
                [one] { $n } режиме
               *[other] { $n } режимах
            }
        [evaluation]
            { $n ->
                [one] { $n } вычисление
                [few] { $n } вычисления
               *[other] { $n } вычислений
            }
        [change]
            { $n ->
                [one] { $n } изменение
                [few] { $n } изменения
               *[other] { $n } изменений
            }
        [column]
            { $n ->
                [one] { $n } столбец
                [few] { $n } столбца
               *[other] { $n } столбцов
            }
        [error]
            { $n ->
                [one] { $n } ошибка
                [few] { $n } ошибки
               *[other] { $n } ошибок
            }
        [warning]
            { $n ->
                [one] { $n } предупреждение
                [few] { $n } предупреждения
               *[other] { $n } предупреждений
            }
        [note]
            { $n ->
                [one] { $n } примечание
                [few] { $n } примечания
               *[other] { $n } примечаний
            }
        [run]
            { $n ->
                [one] { $n } прогон
                [few] { $n } прогона
               *[other] { $n } прогонов
            }
        [real]
            { $n ->
                [one] { $n } вещественная переменная
                [few] { $n } вещественные переменные
               *[other] { $n } вещественных переменных
            }
        [constant]
            { $n ->
                [one] { $n } константа
                [few] { $n } константы
               *[other] { $n } констант
            }
        [line]
            { $n ->
                [one] { $n } строка
                [few] { $n } строки
               *[other] { $n } строк
            }
        [picture]
            { $n ->
                [one] { $n } рисунок
                [few] { $n } рисунка
               *[other] { $n } рисунков
            }
       *[other] { $noun }: { $n }
    }
summary-ticks = { $ticks } по { $step }
    .by-formula = { $ticks } по формуле
    .located = , моменты событий находятся способом { $way }
    .native = , в машинном коде
summary-steps = { $steps } методом { $method } (rtol { $rtol }), отвергнуто { $rejected }
    .fixed = { $steps } методом { $method } ({ $step })
    .by-formula = { $steps } методом { $method } (по формуле)
    .work = , { $evaluations }; { $instants } в { $modes }
    .native = , в машинном коде
summary-headline = от { $from } до { $time }: { $work }
    .condition = от { $from } до { $time }, где выполнилось условие остановки: { $work }
    .interrupted = от { $from } до { $time }, где прогон прерван: { $work }
    .broken = от { $from } до { $time }, где прогон оборвался: { $work }
summary-no-value = нет значения
summary-expected = ожидалось
summary-met = выполнено
    .with = выполнено ({ $detail })
    .not-at = НЕ выполнено { $detail }
    .not = НЕ выполнено, { $detail }
    .time = при t = { $time }
    .found = получено { $value }
    .no-value = такого значения нет
summary-reals =
    .real = переменная
    .start = начало
    .end = конец
    .unit = единица
summary-situations =
    .situation = ситуация
    .held = длилась
    .share = доля
    .fired = наступила
    .never = никогда
summary-never-fired = ни разу не действовали:
summary-row-kind =
    { $kind ->
        [assignment] присваивание
        [reaction] стадия
       *[relation] соотношение
    }
summary-and-more = ... и ещё { $n }
summary-instants =
    { $n ->
        [one] { $n } момент событий
        [few] { $n } момента событий
       *[other] { $n } моментов событий
    }
