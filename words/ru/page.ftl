# Что говорит сервер страницы. Причины закрыть сокет коротки: не больше 123 байт.

page-taken-over = этот сеанс занят другой страницей
page-no-text = сообщение должно быть текстом
page-not-understood = сообщение непонятно
page-no-protocol = это нарушает протокол
page-too-long = сообщение слишком длинное
page-too-fast = слишком много сообщений в очереди
page-session-over = сеанс закончился
page-session-failed = в сеансе произошёл сбой
page-session-ended = сеанс завершён
page-answer-too-long = ответ слишком длинный: запросите меньше
page-too-many = открыто слишком много сеансов: закройте лишнюю страницу
page-no-more = система не даёт новых сеансов
page-folder-gone = папки больше нет
page-not-that-host = это другой узел
page-other-site = запрос от страницы другого сайта
page-needs-address = этой странице нужен адрес, который напечатала `situ open`
page-no-file = нет такого файла
page-not-a-file = это не файл
page-file-too-long = он слишком длинный
page-outside = это за пределами открытой папки
page-changed = сеанс ещё не читал то, что там теперь; укажите другое имя, а если это таблица сеанса, выполните `reload`
page-cannot-write = { $what }: не удаётся записать `{ $path }`: { $error }
page-would-write-over = { $what }: запись стёрла бы `{ $path }`, который читается
