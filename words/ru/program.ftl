# Что программа говорит помимо отчётов: файлы, ключи, прогоны.

program-lists-codes = все коды перечисляет `situ explain`
program-did-you-mean = может быть, `{ $near }`?
program-no-code = кода `{ $code }` нет; { $hint }
program-not-formatted = { $path }: не отформатирован
program-cannot-format = { $path } нельзя отформатировать: изменился бы смысл; ничего не записано
program-names-no-file = { $name } — не имя файла
program-exists-already = { $path } уже есть
program-no-procedure = процедуры `{ $name }` нет; { $hint }
program-nothing-to-expand = в таблице нет ни семейств, ни частей, ни автоматов, ни реакций: она показана как есть
program-no-browser = браузер открыть не удалось: откройте в нём адрес, напечатанный выше
program-neither-folder-nor-table = { $name } — не папка и не таблица
program-greeting = situ: команды перечисляет `help`, Tab дополняет, Ctrl-D завершает
program-needs-events = { $option } относится к режиму событий; добавьте --events
program-no-exercise = упражнения в таблице нет: добавьте `lab: (predict: {"{"}..{"}"})`
program-resume-needs = для --resume нужен файл серии: --out FILE
program-ran = прогонов: { $ran }
program-ran-more = ещё прогонов: { $ran }, всего { $all }
program-nothing-drawn = ничего не нарисовано: ни у одного показателя нет двух значений
program-varies-twice = `{ $name }` должна меняться двумя способами сразу
program-not-sampled = чтобы брать значения из распределения, скажите сколько раз: --runs N
program-nothing-sampled = --runs говорит, сколько раз брать значения из распределений, а распределений нет: --over 'NAME~normal(3,0.1)'
