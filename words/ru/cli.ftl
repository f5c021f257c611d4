cli-writing =
    .cannot-write = не удаётся записать { $name }: { $error }
cli-reading =
    .cannot-read = не удаётся прочитать { $name }: { $error }
cli-writes =
    .cannot-write = не удаётся записать `{ $path }`: { $error }
    .would-write-over = { $what }: запись стёрла бы `{ $path }`, который читается
    .both-write = { $other } и { $what } пишут в один и тот же файл `{ $path }`
cli-followed =
    .links-lead-circle = ссылки ведут по кругу
cli-standard =
    .closed = он закрыт
cli-from-str =
    .number-bytes-needed = нужно число байтов, например 64M или 4G
cli-open =
    .cannot-serve = не удаётся показать страницу: { $error }
    .server-ended = сервер остановился: { $error }
    .not-regular-file = это не обычный файл
cli-too-long =
    .longer-than-bytes = файл длиннее { $most } байт; --max-table разрешает больше, до 4G
cli-endings =
    .writes-not-what = { $what } пишет { $format }, а по имени `{ $path }` ожидается другое; имя должно кончаться на { $endings }
cli-standing =
    .what-held-before = выполнялось до этого: { $standing }
cli-check-stdout =
    .both-write-standard = { $names } пишут в стандартный вывод
cli-standard-output = стандартный вывод
cli-tell-undrawn =
    .drawing-curves-chooses = нарисовано { $n_drawn } из { $n }; выбор — --curves
    .drawing-integrated = нарисовано { $n_drawn } из { $n }, те, что интегрируются или сглаживаются; выбор — --curves
    .drawing-first-integrated = нарисовано { $n_drawn } из { $n }, первые из тех, что интегрируются или сглаживаются; выбор — --curves
cli-tell-missed =
    .lie-outside-run = моменты --at вне прогона: { $times }
cli-every =
    .save-every-must = `--save-every` должно быть больше нуля и конечно, а задано { $time }
cli-load =
    .not-state-written = { $name } — не состояние, записанное с `--save-state`, или оно повреждено
    .been-changed-since = { $name } — файл повреждён: он не таков, каким был записан; возьмите более старое состояние, например ФАЙЛ.before от `--save-every`, или начните прогон сначала
    .belongs-another-run = { $name } относится к другому прогону: { $what } там { $there }, а здесь { $here }; состояние продолжается только с теми же настройками
    .cannot-continued = { $name } нельзя продолжить: { $fault }
    .after-stop-give = { $name } стоит на { $time }, позже конца { $stop }; укажите --stop позже
cli-not-saved = прогон не удался: его последнее состояние в { $name } не записано
cli-difference =
    .another-text = другой текст
    .other-points-lookups = другие точки табличных функций
    .not-given = не задано
cli-parse =
    .name-film-ends = имя фильма кончается на .svg, .gif или .png
    .name-picture-ends = имя рисунка кончается на .svg или .png
cli-wanted =
    .frame = --frame: { $error }
    .draws-scene-table = { $option } рисует сцену таблицы, а в этой таблице её нет: добавьте `scene: (view: (..), rows: [..])`
    .must-above-zero = { $option }: значение должно быть больше нуля
    .fps-must-most = --fps не больше 100
    .belongs-profile-map = --at относится к --profile и к --map сетки
cli-draw =
    .ended-t = закончился при t = { $end }
    .begins-t = начинается при t = { $time }
cli-film =
    .animate-would-draw = --animate нарисовал бы рисунков: { $frames }, а допустимо не больше { $MOST_FRAMES }: увеличьте --speed
cli-outside =
    .frame-run-not = --frame { $time }: прогон { $why }, { $file } не записан
cli-at =
    .view-scene-no = вид сцены не имеет размера при t = { $time }
cli-tell-left-out =
    .families-more-than = семейства, в которых больше { $MOST_ELEMENTS } элементов, не записываются: { $large }; часть можно запросить: --vars '{ $first }[1..10]'
cli-tell-not-finite = у `{ $name }` нет конечного значения при t = { $time }: в таких местах в строках стоит `inf`, `-inf` или `NaN`
cli-log-axes =
    .log-axis-not = --log-axis: `{ $name }` не рисуется вдоль оси
cli-tell-gaps =
    .not-above-zero = `{ $name }` не везде больше нуля: в логарифме пропуски
    .infinite = `{ $name }` местами бесконечна: на рисунке там пропуски
    .no-number = `{ $name }` местами не число: на рисунке там пропуски
cli-draw-lookup =
    .lookup-takes-table = `--lookup` принимает одну таблицу
    .table-none = в таблице их нет
    .table = в таблице есть `{ $names }`
    .no-lookup = табличной функции `{ $name }` нет: { $known }
cli-draw-family =
    .map-profile-draw = --map и --profile рисуют один прогон
cli-first-columns =
    .drawing-columns-curves = нарисовано { $MOST } из { $n } столбцов; выбор — --curves
cli-standard-input = стандартный ввод
cli-refused =
    .cannot-read-run = не удаётся прочитать { $name } как прогон: { $error }
    .table-no-step = в таблице нет `step`; задайте его с помощью --step
    .table-no-stop = в таблице нет `stop`; задайте его с помощью --stop
cli-table =
    .situ-check-takes = `situ check` работает дольше и проверяет глубже
cli-in-one-line =
    .did-you-mean = { $line }; может быть, `{ $near }`?
    .it-is-one = { $line }; допустимо одно из { $known }
cli-change =
    .not-name-value = `{ $text }` — не NAME=VALUE
    .order-written-reversed = `order` — `written` или `reversed`, а не `{ $value }`
    .stepping-tick-events = `stepping` — `tick` или `events`, а не `{ $value }`
cli-warn =
    .run-ends-not = прогон идёт до { $end }: { $stop } не кратно шагу { $step }
cli-option-unused =
    .in-ticks = `--{ $option }` в тактах не участвует: это параметр для `--events`
    .in-events = `--{ $option }` в режиме событий не участвует: это параметр для `--ticks`
cli-unknown-case =
    .no-cases = случаев в ней нет
    .it-has = есть { $x }
    .table-no-case = в таблице нет случая `{ $name }`; { $hint }
cli-number =
    .number-needed-like = нужно число, например 0.5 или 1e-3
cli-whole =
    .whole-number-needed = нужно целое число от { $from }, например 16 или 1e3
    .whole-number-needed-2 = нужно целое число от { $from } до { $to }
cli-run =
    .fix-changes-file = `--fix` изменяет файл, а эта таблица читается из стандартного ввода
    .fix-wrote = `--fix` меняет строку { $line } файла { $table }: { $text }
    .thorough-answers-them = `--thorough` отвечает на них, сколько бы это ни заняло
cli-counts =
    .nothing-found = замечаний нет
cli-time =
    .time-needed-like = нужно время, например 0.5 или 1e-3
cli-table-alone =
    .table-no-command = `{ $table }` — таблица, а не команда; `situ run { $table }` запускает её, `situ check { $table }` проверяет
cli-checked =
    .fast-math-belongs = --fast-math относится к машинному коду; уберите --engine interpreter
    .fast-math-belongs-2 = --fast-math относится к тактам; добавьте --ticks
    .ticks-changing-length = для тактов переменной длины машинного кода нет
cli-new =
    .live-draws-terminal = --live рисует в терминале, а стандартный вывод — не терминал
cli-start =
    .log-filter-cannot = фильтр журнала `{ $filter }` не читается: { $error }
cli-interrupted = прервано

cli-lists-codes = все коды перечисляет `situ explain`
cli-no-code = кода `{ $code }` нет; { $hint }
cli-not-formatted = { $path }: не отформатирован
cli-cannot-format = { $path } нельзя отформатировать: изменился бы смысл; ничего не записано
cli-names-no-file = { $name } — не имя файла
cli-exists-already = { $path } уже есть
cli-no-procedure = процедуры `{ $name }` нет; { $hint }
    .list = их перечисляет `situ procedures`
cli-case-left-out = случай `{ $name }` меняет число элементов и пропущен: его выписывает `--case { $name }`
cli-nothing-to-expand = в таблице нет ни базовой таблицы, ни семейств, ни частей, ни автоматов, ни реакций: она показана как есть
cli-no-browser = браузер открыть не удалось: откройте в нём адрес, напечатанный выше
cli-neither-folder-nor-table = { $name } — не папка и не таблица
cli-greeting = situ: команды перечисляет `help`, Tab дополняет, Ctrl-D завершает
cli-needs-events = { $option } относится к режиму событий; добавьте --events
cli-no-exercise = упражнения в таблице нет: добавьте `lab: (predict: {"{"}..{"}"})`
cli-resume-needs = для --resume нужен файл серии: --out FILE
cli-ran = прогонов: { $ran }
cli-ran-more = ещё прогонов: { $ran }, всего { $all }
cli-nothing-drawn = ничего не нарисовано: ни у одного показателя нет двух значений
cli-measure-not-drawn =
    .few = `{ $name }` не нарисован: у него меньше двух значений
    .surplus = `{ $name }` не нарисован: на рисунке помещаются шесть показателей
cli-varies-twice = `{ $name }` должна меняться двумя способами сразу
cli-not-sampled = чтобы брать значения из распределения, скажите сколько раз: --runs N
cli-nothing-sampled = --runs говорит, сколько раз брать значения из распределений, а распределений нет: --over 'NAME~normal(3,0.1)'
cli-procedures =
    .procedure = процедура
    .gives = что даёт
    .memory = память
    .yes = есть
    .argument = аргумент
    .is = что это
    .may-be = что допустимо
    .expression = любое выражение
    .condition = условие
    .left-out = { $kind }; если не указан — { $value }
    .coefficient = Коэффициент
    .has-memory = Помнит прошлое между тактами: это должен быть самый внешний вызов строки, и не при событии.
    .with = { " " }при { $given }
    .after = { " " }за { $ticks } по { $dt }
    .example = { $line }{ $given } даёт y = { $result }{ $after }
cli-coefficient =
    .scales-first = умножает первый аргумент
    .scales-both = у каждого аргумента свой, умножает его
    .scales-result = умножает результат
    .parameter = это параметр { $name }, в вызове он последний
    .unused = нет
cli-built-without = эта программа собрана без { $feature ->
        [native] машинного кода
        [parquet] Parquet
       *[png] растровых рисунков
    }; с ними её собирает `cargo install --path repl --features { $feature }`
cli-open-without-page = эта программа собрана без страницы; там, где лежат её исходные тексты, её дают две команды: `cargo run -p situ-page --bin bundle` и `cargo install --path repl --features page`
cli-ctrl-c = Ctrl-C не перехватывается: { $error }
cli-left = осталось { $eta }
cli-at-line = { $place }, строка { $line }: { $why }
cli-wrote = записано: { $names }; запускает `situ run { $path }`
cli-and = { " " }и{ " " }
cli-or = { " " }или{ " " }
cli-to-standard-output = стандартный вывод
cli-format =
    .csv-or-parquet = CSV или Parquet
    .state = состояние прогона
    .rules = таблицу правил
cli-terminal =
    .unusable = терминалом нельзя воспользоваться: { $error }
    .history = не удаётся записать историю команд: { $error }
cli-live = t = { $at } из { $end } ({ $done } %)
cli-lab =
    .name-number = запишите NAME=NUMBER
    .asks = нужно предсказать { $names }
    .not-asked = --predict: предсказывать `{ $name }` в упражнении не нужно; { $help }
cli-test =
    .cannot-run = выполнить не удаётся
    .expects-nothing = ожиданий в таблице нет
    .nothing = проверять нечего: нет ни таблиц с ожиданиями, ни скриптов сеанса (`.situ`)
    .line = строка { $n }: { $line }
    .ok = годится  { $path }
    .failed = ОШИБКА   { $path }
    .files = { $n ->
        [one] { $n } файл
        [few] { $n } файла
       *[other] { $n } файлов
    }
    .expectations = { $n ->
        [one] { $n } ожидание
        [few] { $n } ожидания
       *[other] { $n } ожиданий
    }
    .unchecked = ни одно из ожиданий не проверено: их { $n }
    .all-passed = всё выполнено
    .n-failed = { $n ->
        [one] не прошёл { $n } файл
        [few] не прошло { $n } файла
       *[other] не прошло { $n } файлов
    }
