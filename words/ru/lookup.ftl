lookup-lookup-without-arguments = `{ $lookup }` — табличная функция, ей нужен аргумент
lookup-write = запишите `{ $lookup }`
lookup-lookup-argument-count = табличная функция `{ $name }` принимает { $wanted }, а задано { $n_written }
    .argument = 1 аргумент
    .arguments = 2 аргумента
    .help-numbers-written = дробная часть числа отделяется точкой
lookup-lookup-named-as-procedure = `{ $name }` — процедура situ
    .help = дайте табличной функции другое имя
lookup-lookup-units =
    у табличной функции `{ $written }` { $wanted ->
        [one] { $wanted } столбец
        [few] { $wanted } столбца
       *[other] { $wanted } столбцов
    } и { $n ->
        [one] { $n } единица
        [few] { $n } единицы
       *[other] { $n } единиц
    } измерения
    .help = укажите единицы аргументов, затем единицу значения
lookup-read = табличная функция двух аргументов линейна, вид { $kind } для неё не годится
    .too-long = слишком длинно
    .open-quote = кавычка, с которой начинается поле в строке { $line }, не закрыта
    .no-spreadsheet = это не электронная таблица, или она повреждена
    .protected = она защищена паролем
lookup-file = не удаётся прочитать точки функции `{ $names }`: { $why }
    .why = файл не прочитан
lookup-sheet = в `{ $file }` несколько листов: { $names }
    .say-sheet = укажите, какой: `sheet: ".."`
    .text-no = `{ $file }` — текст, листов в нём нет
    .no-sheet = в `{ $file }` нет листа `{ $wanted }`
    .help-leave-sheet = уберите `sheet`
    .help-it-has = есть { $into_iter }
lookup-points = у табличной функции `{ $lookup }` не хватает точек
    .give-x-y = задайте `x` и `y`, а для двух аргументов и `z`: имена столбцов или числа
lookup-columns = табличная функция `{ $names }`: чисел { $lengths } и { $at }
    .each-point-each = у каждой точки по одному числу каждого вида
lookup-column = { $sheet }: пусто
    .no-column = { $sheet }: нет столбца `{ $wanted }`
    .help-first-row = в первой строке нет имён; укажите области, например `A1:A20`
    .help-it-has = есть { $listed }
    .two-columns = { $sheet }: два столбца `{ $wanted }`, { $first } и { $second }
    .give-region-such = укажите область, например `B2:B20`
lookup-unnamed-fields = { $place }: полей в строке больше, чем имён в первой строке
    .help = дробная часть числа отделяется точкой; поле с запятой берётся в кавычки
lookup-region-or-list = `{ $name }` — имя столбца, а файл не указан
    .add-file-give = добавьте `file: ".."` или задайте числа
    .no-region = `{ $name }` — не область ячеек
    .write-like-b = запишите в виде `B2:AF42`
    .region-cells =
        в области `{ $name }` { $n_cells ->
            [one] { $n_cells } ячейка
            [few] { $n_cells } ячейки
           *[other] { $n_cells } ячеек
        }
lookup-region-with-edges = у табличной функции `{ $names }` не хватает `x` и `y`
lookup-number =
    .not-finite = `{ $written }` не конечно
    .blank = пусто
    .comma-numbers-have = в `{ $text }` запятая; дробная часть числа отделяется точкой
    .no-number = `{ $text }` — не число
    .text-no-number = текст `{ $text }` — не число
    .truth-value-no = логическое значение — не число
    .date-time-no = дата или время — не число
    .holds-error = в ячейке ошибка { $error }
    .formula-no-stored = у формулы нет сохранённого значения; откройте файл и сохраните его
    .part-merged-cells = часть объединённых ячеек
lookup-shown =
    .sheet = лист `{ $name }` файла `{ $file }`
lookup-cell =
    .cell-row-column = { $sheet }, ячейка { $column }{ $row } (строка { $row }, столбец { $number })
lookup-put =
    .more-than-cells = больше { $MOST_CELLS } ячеек
lookup-ascends = табличной функции `{ $names }` нужны хотя бы две точки
    .twice = { $called } { $here } встречается дважды
    .leave-points-out = уберите одну из точек
    .after = { $called } { $here } стоит после { $before }
    .points-order-their = точки стоят в порядке возрастания аргументов
lookup-curve =
    .argument = аргумент
lookup-matrix = табличная функция `{ $names }`: первых аргументов { $n }, вторых { $m }, а строк { $rows }, по { $per_row } значений
    .first-argument = первый аргумент
    .second-argument = второй аргумент
    .row-z-each = строка `z` на каждый `x`, в ней значение на каждый `y`
lookup-long-form = табличной функции `{ $names }` нужны два значения каждого аргумента
    .point-twice = точка ({ $pair }, { $pair_2 }) встречается дважды
    .leave-two-out = уберите одну из двух
    .lookup-no = у табличной функции `{ $names }` нет значения в точке ({ $first }, { $second })
    .every-first-argument = каждому первому аргументу нужны все вторые
