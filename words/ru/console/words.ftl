# Слова сеанса: группы, заголовки столбцов, виды, числа.

console-group-model = таблица
console-group-run = вперёд
console-group-back = назад
console-group-stop = точки останова
console-group-look = посмотреть
console-group-explain = объяснить
console-group-change = изменить
console-group-lines = линии истории
console-group-show = показать
console-group-session = сеанс

console-help-settings = Настройки:

console-help-examples = Примеры:

console-n-steps =
    { $n ->
        [one] { $n } шаг
        [few] { $n } шага
       *[other] { $n } шагов
    }

console-n-lines =
    { $n ->
        [one] { $n } строка
        [few] { $n } строки
       *[other] { $n } строк
    }

console-n-rules =
    { $n ->
        [one] { $n } правило
        [few] { $n } правила
       *[other] { $n } правил
    }

console-n-constants =
    { $n ->
        [one] { $n } константа
        [few] { $n } константы
       *[other] { $n } констант
    }

console-n-reals =
    { $n ->
        [one] { $n } вещественная переменная
        [few] { $n } вещественные переменные
       *[other] { $n } вещественных переменных
    }

console-n-pictures =
    { $n ->
        [one] { $n } кадр
        [few] { $n } кадра
       *[other] { $n } кадров
    }

console-n-rows =
    { $n ->
        [one] { $n } строка
        [few] { $n } строки
       *[other] { $n } строк
    }

console-never = ни разу
console-at-start = в начале

console-nothing-writes = никто не пишет

console-above = выше

console-save-over-changed = `{ $path }` изменился с тех пор, как его прочитал этот сеанс

console-missed = достигнут `stop` таблицы; условие так и не выполнилось

console-stop-once = один раз

console-stop-off = выключена

console-here = здесь

console-no-rules-yet = правил пока нет

console-no-names-yet = имён пока нет

console-kind-constant = константа
console-kind-real = вещественная переменная
console-kind-switch = переключатель
console-kind-range = диапазон
console-kind-event = событие
console-kind-situation = ситуация
console-kind-branch = ветвь
console-kind-folder = папка

console-now = сейчас

console-written-by = её пишут

console-read-by = её читают

console-described = { $kind }{ $about }; начинает с { $start }

console-look-alike =
    .cyrillic = может быть, `{ $other }`? Выглядит так же, но там буквы кириллицы, а здесь латинские
    .latin = может быть, `{ $other }`? Выглядит так же, но там латинские буквы, а здесь кириллица

console-say-one = годится { $names }

console-or = или

console-past = прошлое

console-column-moved-by = сдвиг
console-column-rule = правило
console-column-in = за
console-column-from-t = с t
console-column-to = до
console-column-written-by = пишут
console-column-first = первое
console-column-last = последнее
console-column-least = наименьшее
console-column-greatest = наибольшее
console-column-active = действует
console-column-case = вариант
console-column-about = описание
console-column-number = номер
console-column-stops-on = останавливает
console-column-mark = метка
console-column-time = время
console-column-branch = ветвь
console-column-steps = шаги
console-column-real = переменная
console-column-at-the-end-a = в конце: A
console-column-greatest-distance = наибольшее расхождение
console-column-at-t = при t
console-column-unit = единица
console-column-invariant = инвариант
console-column-start = начало
console-column-now = сейчас
console-column-drift = уход
console-column-name = имя
console-column-is = что это
console-column-value = значение
console-column-begins = наступает
console-column-ends = кончается
console-column-range = диапазон
console-column-margin = запас
console-column-event = событие
console-column-nearest-border = ближайшая граница
console-column-of-its-sides = доля сторон
console-column-from = от

console-no-cases = вариантов в таблице нет

console-in-use = взят

console-holds = выполняется

console-the-picture = рисунок

console-the-log = журнал

console-value-positive = число больше нуля

console-value-not-negative = число не меньше нуля

console-value-word = одно из нескольких слов

console-value-expression = выражение

console-value-condition = условие

console-help-end =
    Правило добавляется само: `Fel = K * def when contact`. Имя печатает своё значение. Пустая строка повторяет шаг.
    От команды достаточно начала, которое подходит к ней одной. `help КОМАНДА` говорит подробнее.
