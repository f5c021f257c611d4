# Слова отчёта, о чём бы он ни говорил.

report-error = ошибка
report-warning = предупреждение
report-note = примечание
report-help = подсказка

# В конце того, что слишком длинно, чтобы показать всё.
report-more =
    { $n ->
        [one] и ещё { $n } замечание того же рода
        [few] и ещё { $n } замечания того же рода
       *[other] и ещё { $n } замечаний того же рода
    }
report-more-elements =
    { $n ->
        [one] то же у ещё { $n } элемента
       *[other] то же у ещё { $n } элементов
    }

# Над изменением, у которого нет пояснения.
report-change = замените на
report-did-you-mean = может быть, `{ $near }`?

# Что система говорит о файле.
report-system =
    { $kind ->
        [NotFound] нет такого файла или папки
        [PermissionDenied] нет прав доступа
        [AlreadyExists] уже существует
        [IsADirectory] это папка
        [NotADirectory] это не папка
        [StorageFull] на диске не осталось места
        [FileTooLarge] файл слишком большой
        [ReadOnlyFilesystem] диск доступен только для чтения
       *[Other] { $text }
    }
