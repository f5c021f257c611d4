# Ответы команд и почему строку нельзя выполнить.

console-back-needs-more = после `back { $word }` нужно ещё что-то
    .help = например, `back until h < R` или `back change h`

console-not-changed-before = раньше `{ $name }` не изменялась

console-not-arisen-before = раньше `{ $rest }` не наступало

console-interrupted = прервано

console-goto-needs = для `goto` нужно время или метка
    .help = например, `goto 0.5`, `goto start` или имя метки

console-mark-needs = метке нужно имя
    .help = например, `mark before`

console-no-marks = меток нет

console-this-is-the-start = это начало

console-mark-is = `{ $args }` — это t = { $time }

console-beside-in-another-list = строка `{ $id }` стоит в списке `{ $list }`, а новая относится к `{ $field }`

console-declares-it = объявит её `real { $name } = 0`

console-is-constant = `{ $name }` — константа, её не пишет ни одно правило
    .help = её значение меняет `set { $name } = { $value }`

console-meant-set = может быть, `set { $name } = { $value }`?
    .help = правило, которое удерживает это значение, добавит `add after ID: { $line }` или `[id] { $line }`

console-replace-needs = для `replace` нужны строка и правило
    .help = например, `replace 3: x = 1`

console-replace-in-another-list = строка `{ $id }` стоит в списке `{ $list }`, а это правило относится к `{ $other }`

console-move-needs = для `move` нужны две строки
    .help = например, `move 7 before 6`

console-move-in-one-list = обе строки должны стоять в одном списке

console-move-of-base = строка `{ $id }` стоит в таблице, которую эта расширяет
    .help = уберите её командой `drop` и добавьте в другом месте командой `add`

console-neither-side = `{ $side }` — это не `after` и не `before`

console-not-aside = отключённой строки `{ $wanted }` нет

console-there-are = есть { $names }

console-no-rule = это не правило

console-add-needs = для `add { $word }` нужны строка и правило
    .help = например, `add after 3: x = 1`

console-row-of-part = строка `{ $id }` относится к части `{ $part }`, таблица которой — { $file }
    .help = измените её там; здесь можно задать только входы, константы и начальные значения части

console-rename-what = команде `rename` нужны имя и то, каким оно станет
    .help = например, `rename P force`

console-name-taken = имя `{ $name }` уже занято

console-element-of-family = `{ $name }` — элемент семейства `{ $family }`
    .help = `rename { $family } ..` переименует их все

console-other-meaning = с именем `{ $new }` вместо `{ $old }` таблица значила бы другое
    .help = так называется что-то ещё или слово строки; выберите другое имя

console-name-elsewhere =
    .in-base = `{ $name }` объявлено в { $file }, которую расширяет эта таблица
    .in-part = `{ $name }` принадлежит части `{ $part }`, её таблица — { $file }
    .help = переименуйте там

console-named-after-row = ни одна запись таблицы не объявляет `{ $name }`: оно называется по своей строке

console-name-of-part = `{ $name }` относится к части `{ $part }`, которую эта таблица сама не называет
    .help = в этом прогоне её меняет `set { $name } = ..`

console-declared-in-part = `{ $name }` объявлена в таблице своей части
    .help = отсюда можно задать только другое начальное значение

console-declaration-needs = для `{ $word }` нужно имя
    .help = например, `{ $word } x = 1`

console-constant-needs = константе нужно значение
    .help = например, `constant { $name } = 1`

console-invariant-needs = инварианту нужны имя и выражение
    .help = например, `invariant energy: m * v * v / 2`

console-no-invariants = инвариантов в таблице нет

console-title-needs = для `title` нужен текст
    .help = например, `title tank`

console-why-needs = для `why` нужно имя
    .help = например, `why contact` или `why not contact`

console-no-boolean = `{ $name }` — не условие
    .help = откуда взялось значение, говорит `why { $name }`

console-was-set = задана значением { $value }

console-table-says = в таблице { $value }

console-why-constant = { $value }: константа; { $from }

console-of-a-run = `{ $args }` относится к прогону целиком, а не к текущему месту
    .help = запишите это в `expect` таблицы или измерьте: `summary count(hit)`
console-no-condition = `{ $args }` — не условие
    .help = например, `expect h >= 0` или имя ситуации

console-expected-holds = { $args }: выполняется

console-expected-fails = { $args }: не выполняется при t = { $time }
console-expected-none = ни одно из { $n } условий не выполняется
console-expected-some = выполняются: { $names }
    .more = выполняются: { $names } и ещё { $more }

console-no-real = `{ $name }` — не вещественная переменная
    .help = когда оно менялось, показывает `trace { $name }`

console-time-ahead = это время ещё впереди

console-blame = { $spelt }: от { $first } при t = { $begin } до { $last } при t = { $end }, изменение { $change }

console-at-the-prompt = в командной строке: { $said }

console-no-rule-wrote = ни одно правило её не писало

console-left-out = пропущено { $n } из { $lines }; все показывает `trace { $name } all`

console-coverage = действовало { $fired } из { $rules }, всего { $steps }

console-converge-runs = исследование сходимости состоит из { $least }–{ $most } прогонов
console-undone = отменено: { $line }

console-nothing-to-undo = отменять нечего

console-done-again = повторено: { $line }

console-nothing-to-redo = повторять нечего

console-branch-exists = ветвь `{ $args }` уже есть
    .help = в неё переходит `checkout { $args }`

console-branch-blanks = в имени ветви не бывает пробелов

console-branch-made = ветвь { $args }, от { $now } при t = { $time }

console-this-is-branch = это и есть `{ $args }`

console-no-branch = ветви `{ $name }` нет
    .help = ветви перечисляет `branch`

console-compare-needs = для `compare` нужна ветвь
    .help = например, `compare main`

console-compared = A = { $first }, B = { $second }, от t = 0 до { $end }

console-they-part = расходятся при t = { $time }

console-they-are-equal = совпадают до последнего бита

console-print-needs = для `print` нужно выражение
    .help = например, `print h`

console-taken-away = убрано: { $gone }

console-nothing-displayed = ничего не показывается

console-nothing-changed = ничего не изменилось

console-no-ranges = диапазонов в таблице нет

console-no-more = больше нет: { $ended }

console-load-needs = для `load` нужен файл
    .help = например, `load table.ron`

console-table-changed = `{ $name }` — уже не та, что была при сохранении скрипта
    .help = изменилась она или таблица, которую она расширяет, и скрипт привёл бы в другое место; без хэша в строке он возьмёт таблицу, какова она сейчас

console-warned = предупреждение[{ $code }]: { $message }

console-and-more = и ещё { $n }

console-check-shows = где именно, показывает `check`

console-no-file = эта таблица взята не из файла

console-nothing-found = замечаний нет

console-graph-no-real = `{ $args }` — не вещественная переменная
    .help = условие объясняет `why`

console-new-future = начинается новое будущее; прежнее вернёт `undo`

console-no-rule-contains = ни одно правило не содержит `{ $args }`

console-no-name-contains = ни одно имя не содержит `{ $args }`

console-set-aside = отключены

console-show-needs = для `show` нужно имя
    .help = например, `show h` или `show rule 3`

console-zero-steps = `{ $command } 0` ничего не делает
    .help = например, `{ $command }` или, чтобы пять раз, `{ $command } 5`

console-no-count = для `{ $command }` нужно целое число, а `{ $args }` — не оно
    .help = например, `{ $command }` или `{ $command } 5`

console-this-is-the-stop = это `stop` таблицы; дальше идёт `run for T`

console-run-to-past = t = { $rest } уже в прошлом
    .help = туда возвращает `goto { $rest }`

console-run-forward = прогон идёт вперёд
    .help = назад идёт `back`

console-run-needs-more = после `run { $word }` нужно ещё что-то
    .help = например, `run for 0.5`, `run to 2` или `run until h < R`

console-run-not-understood = `run { $args }` непонятно
    .help = например, `run`, `run for 0.5`, `run to 2` или `run until h < R`

console-curves-more = и ещё { $rest }
console-curves-parts = в картинке от 1 до { $most } частей, а не `{ $n }`

console-empty-window = промежуток пуст
    .help = после `to` стоит более позднее время

console-no-knobs = менять нечего

console-sets-nothing = `{ $part }` ничего не задаёт
    .help = например, `rerun m = 2, step = 0.001`

console-follows = `{ $name }` следует из своих правил, задать её нельзя
    .help = из чего именно, говорит `why { $name }`
console-leaves-state = автомат находится в состоянии `{ $name }`: покинуть его, не войдя в другое, нельзя
    .help = сделайте истинным то состояние, в которое автомат должен перейти

console-film-frames = в фильме от 2 до { $most } кадров
    .help = например, `frames into 100`

console-no-scene = сцены в таблице нет

console-film = { $pictures }, t = { $from } .. { $to }

console-no-exercise = упражнения в таблице нет

console-predicts-nothing = `{ $part }` ничего не предсказывает

console-not-asked = упражнение не спрашивает `{ $name }`
    .help = что оно спрашивает, перечисляет `lab`

console-no-csv = `{ $path }` — не файл CSV
    .help = имя файла должно кончаться на .csv
    .rows = строки записываются в формате CSV: имя файла должно кончаться на .csv

console-cannot-write = не удаётся записать `{ $path }`: { $error }

console-saved = сохранено: { $path }

console-rewrite-needs = для `rewrite` нужен текст в кавычках
    .help = кавычка в нём записывается как `\"`, конец строки — как `\n`, как в JSON

console-same-text = это и есть текст таблицы

console-save-needs = для `save` нужен файл
    .help = например, `save table.ron`

console-neither-table-nor-script = `{ $path }` — не таблица и не скрипт
    .help = имя таблицы кончается на .ron, имя скрипта — на .situ

console-saved-script = сохранено как скрипт: { $path }, { $lines }

console-settings-not-saved = настройки, заданные в сеансе, туда не входят: { $names }

console-read-already = `{ $path }` уже читается
console-read-too-deep = `{ $path }` не читается: скрипты, которые читают друг друга, вложены не глубже { $most }

console-cannot-read = не удаётся прочитать `{ $path }`: { $error }

console-read-needs = для `read` нужен файл
    .help = например, `read session.situ`

console-nothing-changed-yet = пока ничего не менялось

console-no-command = команды `{ $word }` нет
    .help = все команды перечисляет `help`

console-save-over = `{ $path }` — это загруженная таблица
    .again = чтобы записать поверх, повторите `save`; или задайте другое имя
    .urged = поверх запишет `save!`; или задайте другое имя

console-help-also = Также: { $names }

console-set-needs = для `set` нужны имя и значение
    .help = например, `set h = 300`

console-nothing-named = `{ $name }` нет

console-meant-set-near = может быть, `set { $near } = { $value }`?

console-switch-value = переключатель — это `true` или `false`, а не `{ $value }`

console-vs-one-name = `vs` ставят перед одним именем
    .help = например, `plot Vy vs h`

console-open-backtick = обратный апостроф не закрыт

console-picture-ending = имя рисунка кончается на .svg или .png

console-drawn-into = нарисовано: { $path }

console-no-booleans = условий в таблице нет

console-export-needs = для `export` нужен файл
    .help = например, `export run.csv`

console-rows-into = { $rows } в { $path }

console-margin-needs = для `margin` нужно расстояние
    .help = например, `break margin contact < 0.1`

console-stops-not-understood = `stops { $word }` непонятно
    .help = например, `stops`, `stops on 1` или `stops off 1`

console-no-stops = точек останова нет; их ставят `break` и `watch`

console-no-stop = точки останова `{ $number }` нет
    .help = точки останова перечисляет `stops`

console-delete-needs = для `delete` нужен номер точки останова или `all`
    .help = номера показывает `stops`

console-stop-gone = { $number }: { $on } — больше нет

console-no-row = строки `{ $wanted }` нет
    .help = все строки с идентификаторами перечисляет `rules`

console-row-of-elements = `{ $id }` — один элемент строки `{ $whole }`
    .help = `{ $whole }` — все её элементы; ограничивает строку `for .. in ..`

console-several-rows = `{ $wanted }` подходит нескольким строкам

console-no-case = варианта `{ $name }` в таблице нет

console-would-write-over = { $what }: файл `{ $path }` читается, записать поверх него нельзя

console-no-end = в таблице не сказано, где кончается прогон
    .help = например, `run for 1`, `run to 5` или `run until h < R`

console-stop-nothing-happens = больше ничего не происходит: шаги растут без конца

console-stop-when-holds = выполняется `stop_when`

console-no-longer = больше не выполняется: { $names }

console-stopped = остановка: { $why }

console-not-in-model = { $expression }: в этой модели нет

console-not-in-the-past = t = { $at } — не прошлое: оно простирается от { $first } до { $end }
    .help = к моменту, до которого ещё не дошли, идёт `run to`

console-past-failed = это уже выполнялось; при повторе для ответа произошла ошибка

console-no-range = диапазона `{ $name }` нет

console-row-of-scene = строка `{ $id }` рисует и больше ничего не делает

console-no-help = справки нет

console-several-commands = с `{ $word }` начинается несколько команд

console-other-layout = может быть, `{ $line }`? Это набрано в другой раскладке

console-no-name = `{ $name }` в модели нет
    .help = все имена перечисляет `vars`

console-family = { $first } .. { $last }: { $n ->
        [one] { $n } элемент
        [few] { $n } элемента
       *[other] { $n } элементов
    }, от { $least } (`{ $low }`) до { $most } (`{ $high }`), в среднем { $mean }
    .truths = { $first } .. { $last }: { $n ->
        [one] { $n } элемент
        [few] { $n } элемента
       *[other] { $n } элементов
    }, истинны { $held }

console-is-family = `{ $name }` — семейство
    .help = назовите один из его элементов, например `{ $first }`

console-no-number = `{ $text }` — не число

console-not-finite = `{ $text }` — это { $value }

console-status = t = { $now }, шаг { $steps }

console-not-by-set = `{ $name }` — настройка часов, которую `set` не меняет
    .every = сеанс хранит каждый шаг; реже записывать строки позволяют `every` в `clock` таблицы и `situ run --every`
    .start = её записывают в `clock` таблицы

console-setting-kind = `{ $name }` — это { $kind }

console-setting-value = `{ $name }` не может быть `{ $value }`

console-one-of = возможные значения: { $words }

console-same-as = то же, что { $name }

console-empty-table = пустая таблица
console-another-text = другой текст таблицы
console-without-png = эта программа собрана без PNG: это `png` среди возможностей (features) её крейтов
