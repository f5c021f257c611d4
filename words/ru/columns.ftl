# Столбцы, запрошенные по имени, и файлы столбцов.

columns-unknown = столбца `{ $name }` нет; есть { $known }
    .near = столбца `{ $name }` нет; может быть, `{ $near }`?
columns-no-axis = `{ $name }` — логическое значение, а вдоль оси откладываются числа
columns-no-family = семейства `{ $name }` нет; есть `{ $shown }`
    .near = семейства `{ $name }` нет; может быть, `{ $near }`?
    .none = семейства `{ $name }` нет: ни у одной величины нет индекса
columns-not-in-model = в модели нет `{ $name }`
    .near = в модели нет `{ $name }`; может быть, `{ $near }`?
columns-name-missing = не хватает имени
columns-open-backtick = обратная кавычка не закрыта
columns-colon = `{ $text }`: имя с двоеточием заключается в обратные кавычки
columns-file-empty = файл пуст
columns-width = строка { $line }: { $found }, а в заголовке { $expected }
columns-not-a-number = строка { $line }, столбец `{ $column }`: `{ $text }` — не число
columns-time = строка { $line }: `time` — число, не меньшее, чем строкой выше
columns-encoding = строка { $line }: это не текст в UTF-8
columns-twice = два столбца называются `{ $name }`
columns-separated =
    .semicolons = столбцы разделены точками с запятой, а не запятыми
    .tabs = столбцы разделены табуляцией, а не запятыми
columns-header-numbers = в первой строке числа, а не имена столбцов
columns-first-column = первый столбец — `{ $first }`, а не `time`
