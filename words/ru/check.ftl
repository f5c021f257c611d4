check-assignments =
    .question = какие присваивания переключателя противоречат друг другу
check-contradiction =
    .assignment-undoes-tick = присваивание `{ $id }` отменяет `{ $name }` в том же такте, в котором его задаёт `{ $id_2 }`
    .assignments-can-set = присваивания `{ $id }` и `{ $id_2 }` могут одновременно установить и сбросить `{ $name }`
    .assignments-write-tick = присваивания `{ $id }` и `{ $id_2 }` задают `{ $name }` в одном такте, их порядок важен
    .label = побеждает: стоит ниже
    .also = перекрывается
    .help-assignments-see = присваивания видят то, что задано выше: опишите прежнее состояние ситуацией и используйте её в обоих условиях
    .help-let-conditions = сделайте условия взаимоисключающими
    .never-holds = { $text } не выполняется никогда
    .exclude-each-other = { $text } исключают друг друга
check-repeated = присваивание `{ $id }` повторяет присваивание `{ $id_2 }`
    .both-add-counts = обе строки прибавляют своё, вклад учитывается дважды
    .both-work-value = обе строки меняют значение, вклад учитывается дважды
    .once-enough = одного раза достаточно
    .row-repeats = строка `{ $second }` повторяет строку `{ $first }` переменной `{ $target }`
check-repeats = повторяет
check-here-already = уже есть здесь
check-config-error =
    .no-step = в таблице нет `step`
    .help-no-step = задайте его в `clock`, например `clock: (step: 0.001, stop: 10)`, или запустите с `--step`
    .no-stop = в таблице нет `stop`
    .help-no-stop = задайте его в `clock`, например `clock: (step: 0.001, stop: 10)`, или запустите с `--stop`
    .help-change-clock = измените это в поле `clock` таблицы
check-clock = `step_formula` не действует: метод `{ $name }` сам выбирает шаги
    .help = возьмите метод с постоянным шагом, например `rk4`, ограничьте шаг с помощью `hmax` или уберите формулу
    .in-ticks = `{ $name }` не действует в тактах, а таблица исполняется ими
    .help-events = для точных событий напишите в поле `clock` `stepping: events`; для тактов напишите `stepping: tick` или уберите это
    .in-events = `{ $name }` не действует в режиме событий, а таблица исполняется в нём
    .help-ticks = настройка действует только в тактах (`situ run --ticks`); если такты не нужны, уберите её
check-conserved = что сохраняют стадии, не найдено: это слишком долго
    .stages-conserve = стадии сохраняют сумму
    .stages-conserve-2 = стадии сохраняют несколько сумм
    .note-more = и ещё { $n }
    .note-may-more = их может быть больше: найти все слишком долго
check-words =
    .more = сумма `{ $law }`: { $begin } + .. (ещё { $more })
check-constraints =
    .row-constraint-differentiated = строка `{ $row }` — связь: она дифференцируется { $one }
    .keeps = сохраняет { $one }
    .row-keeps-constraints =
        строка `{ $row }` задаёт { $n ->
            [one] { $n } связь
            [few] { $n } связи
           *[other] { $n } связей
        }
    .differentiated-before-they = дифференцируются перед решением
    .note-differentiated = { $one } дифференцируется { $one_2 }
    .note-solved = решается { $solved }
    .help = если уравнение должно прямо задавать { $names }, запишите в него { $names }
check-times =
    .once = один раз
    .twice = дважды
    .three-times = три раза
    .four-times = четыре раза
check-machines = переходы `{ $id }` и `{ $id_2 }` автомата `{ $machine }` могут сработать одновременно
    .question = какие переходы автоматов могут сработать одновременно
    .also = срабатывает этот: он записан раньше
    .help = сделайте их условия взаимоисключающими или запишите нужный переход первым
check-redundant =
    .question = какие строки ситуации охвачены другими
check-ranges = диапазон `{ $range }` говорит то же, что диапазон `{ $first }`
    .also = сказано впервые
    .what-comparison = сравнение
    .what-range = диапазон
    .can-never = { $what } `{ $name }` не может выполняться никогда
    .note = нет значений, при которых { $said }
    .always-holds = { $what } `{ $name }` выполняется всегда
check-adds-nothing = строка `{ $id }` ситуации `{ $name }` ничего не добавляет к строке `{ $id_2 }`
    .row-adds = строка `{ $id }` ситуации `{ $name }` ничего не добавляет к остальным строкам
    .label = можно убрать
    .also = выполняется всегда, когда выполняется она
check-unreachable =
    .question = какие условия не выполняются никогда
    .assignment = присваивание `{ $id }`
    .row = строка `{ $id }`
check-never-holds = не выполняется никогда
check-always-holds = выполняется всегда
check-with-constants =
    .note = при { $values }
check-situations =
    { $kind ->
        [event] событие
       *[situation] ситуация
    } `{ $situation }` не может { $verb ->
        [happen] произойти
       *[hold] выполняться
    }
    .always-holds =
        { $kind ->
            [event] событие
           *[situation] ситуация
        } `{ $situation }` выполняется всегда
    .row =
        строка `{ $id }` { $kind ->
            [event] события
           *[situation] ситуации
        } `{ $situation }`
check-row =
    { $subject }: не { $verb ->
        [holds] выполняется
       *[acts] действует
    } никогда
    .label-condition-never = её условие не выполняется никогда
    .condition-always = { $subject }: условие выполняется всегда
    .label-always = всегда
    .help = уберите условие
check-otherwise = строка `{ $id }` никогда не действует: другие строки для `{ $real }` охватывают все случаи
    .row = строка { $id }
    .label = никогда не действует
check-reals = ни одно правило не записывает `{ $name }`
    .label = сохраняет начальное значение
    .help = добавьте строку `{ $name } = ...` или перенесите `{ $name }` в `constants`
check-switches =
    `{ $name }` в начале { $value ->
        [true] истинно
       *[false] ложно
    } и только { $done ->
        [set] устанавливается
       *[cleared] сбрасывается
    }
    .label-changes-nothing = ничего не меняет
    .also-starts =
        в начале { $value ->
            [true] истинно
           *[false] ложно
        }
    .but-never =
        `{ $name }` { $done ->
            [set] устанавливается
           *[cleared] сбрасывается
        }, но никогда не { $undone ->
            [set] устанавливается
           *[cleared] сбрасывается
        }
    .label-good-here =
        здесь { $done ->
            [set] устанавливается
           *[cleared] сбрасывается
        } навсегда
    .also-switch = переключатель
check-unread =
    ни одно правило не читает { $kind ->
        [constant] константу
        [real] переменную
        [switch] переключатель
        [range] диапазон
        [situation] ситуацию
        [event] событие
        [lookup] табличную функцию
       *[name] имя
    } `{ $name }`
    .label = есть только в результатах
check-unused =
    { $kind ->
        [constant] константа
        [real] переменная
        [switch] переключатель
        [range] диапазон
        [situation] ситуация
        [event] событие
        [lookup] табличная функция
       *[name] имя
    } `{ $name }` нигде не используется
    .label = не названо ни в одном правиле
check-check =
    таблица не проверена: в ней { $n_rows ->
        [one] { $n_rows } строка
        [few] { $n_rows } строки
       *[other] { $n_rows } строк
    }
    .most-brief-check = краткая проверка охватывает не больше { $rows } строк
check-shown =
    .note = например, при { $shown }
check-not-analysed =
    проверка оставила без ответа { $n ->
        [one] { $n } вопрос
        [few] { $n } вопроса
       *[other] { $n } вопросов
    }: это заняло бы много времени
check-consequence =
    .whether-ranges-depend = зависят ли диапазоны от собственного действия
check-moved = диапазон `{ $range }` может зависеть от собственного действия
    .label = сразу следует из `{ $real }`
    .also = действует или нет в зависимости от этого диапазона
    .note = где он требует обратного тому, что есть, такты чередуются
    .help = пусть диапазон зависит от того, на что он не влияет, или дайте ему зазор (гистерезис)
check-lag = диапазон `{ $range }` видит скачок `{ $name }` на один микрошаг позже
    .label = читает прежнее значение `{ $name }`
    .also-makes-jump = вызывает скачок `{ $name }`
    .also-looks-what = смотрит на то, что из неё следует
    .help = если диапазон должен увидеть его сразу, поставьте строку `{ $by }` выше строки `{ $readers }`
check-reads-too = тоже читает
check-loops =
    .question = алгебраические циклы
check-algebraic-loop = алгебраический цикл: { $names }
    .label = читает `{ $read }` предыдущего такта
    .also = вычисляет `{ $read }`
    .note = прогон по тактам проходит цикл один раз за такт: строка `{ $reader }` читает `{ $read }` раньше, чем строка `{ $writer }` записывает
    .help = выразите из цикла одну из переменных вручную или убедитесь, что меньший шаг не меняет результат
check-late-read =
    { $readers } { $verb ->
        [reads] читает
       *[read] читают
    } `{ $real }` выше строки `{ $by }`, которая вычисляет её
    .label = читает `{ $real }` предыдущего такта
    .also-computes = вычисляет `{ $real }`
    .note = то, из чего она вычисляется, за это время изменилось
    .help-if-tick = если нужно значение этого такта, поставьте строку `{ $by }` выше строки `{ $readers }`
    .help-if-tick-2 = если нужно значение этого такта, поставьте строки, которые вычисляют `{ $real }`, выше строки `{ $readers }`
check-arguments = `{ $called }` не делает того, для чего нужна `{ $name }`: { $why }
    .label = значения аргументов неверны или стоят не в том порядке
    .help = порядок аргументов: `{ $call }`
    .no-frequency = частота равна 0
    .no-period = период не больше 0
    .long-pulse = импульсы не короче своего периода
    .turned-borders = нижняя граница выше верхней
check-event = событие { $name }
check-names-and = { $first } и { $last }
check-names-more = { $all } и ещё { $more }
check-rows =
    { $n ->
        [one] строка
        [few] строки
       *[other] строки
    } { $names }
check-not = не { $name }
