parse-too-deep =
    .help = дайте части выражения имя: вынесите её в отдельную строку
parse-nested-table = слишком глубокая вложенность скобок в таблице
    .help = таблица содержит строки значений, более глубокой вложенности в ней нет
parse-unknown-field = { $owner }: нет поля `{ $name }`
    .help-did-you = может быть, `{ $near }`? Выглядит так же, но здесь есть русские буквы
    .note = поля: { $known }
parse-repeated-key = `{ $name }` задано дважды
    .label = повторно здесь
    .also = впервые здесь
parse-leave-them-out = оставьте что-нибудь одно
parse-wrong-type = { $what }: здесь { $found }, а должно быть: { $expected }
    .help-expression-quotes = выражение пишется в кавычках
    .help-text-between = текст пишется в двойных кавычках
parse-missing-field = { $owner }: не хватает поля `{ $name }`
parse-unknown-word = { $what }: значение `{ $word }` недопустимо
    .note = допустимые значения: { $known }
parse-bad-character = невидимый символ (U+{ $code }) здесь недопустим
    .help-write-plain = поставьте обычный пробел
    .cannot-here = `{ $shown }` здесь недопустимо
    .help-put-names = имена с необычными символами заключаются в обратные апострофы
parse-unclosed-backtick = имя начинается с обратного апострофа, но не закрыто
    .help = закройте имя вторым обратным апострофом
parse-bad-number = `{ $text }` — не число: { $why }
parse-expected = здесь { $found }, а должно быть: { $what }
    .after = { $what } после `{ $next }`
parse-condition-first = соотношение начинается с переменной, которую оно вычисляет, а условие стоит в конце
    .help = переставьте части строки
    .help-move = значение переменной задаёт строка в `relations`: запишите там `{ $meant }`
parse-switches-given = присваивание называет включаемые переключатели, а выключаемые — со знаком `!`
parse-unclosed-parenthesis = эта скобка не закрыта
    .also = здесь ожидается `)`
parse-stray-parenthesis = здесь нет открытой скобки
parse-missing-open = после `{ $procedure }` не хватает `(`
    .help = запишите `(`
parse-leave-out = уберите лишнее
parse-foreign = вместо `{ $text }` здесь пишется `{ $shown }`
    .help = запишите `{ $shown }`
    .no-meaning = `{ $text }` здесь ничего не означает
parse-equality = `{ $text }` не поддерживается: вычисленные значения почти никогда не равны точно
    .help = укажите с помощью `<`, `<=`, `>` или `>=`, по какую сторону лежит значение
    .note = если `{ $name }` — переключатель, он сам по себе — условие: `{ $name }`, а пока он выключен — `!{ $name }`
parse-truth-compared = логическое значение само по себе — условие, его ни с чем не сравнивают
parse-comparison-two-sides = у сравнения две стороны
parse-chained-comparison =
    .help = запишите два сравнения
parse-chained-argument =
    .help = назовите его диапазоном, `name: { $repaired }`, и подставьте это имя
parse-wrong-list = { $row } не на своём месте: это список `{ $stands_in }`
    .note = диапазон состоит только из сравнений, например `h < R`
    .help-move-situations = перенесите строку в `situations`
    .help-move = перенесите строку в `{ $found }`
parse-unknown-mark =
    .help-put-name = имя из двух слов заключается в обратные апострофы
parse-mark-on-situation = `{ $mark }` — пометка диапазона, а это ситуация
    .note = диапазон состоит только из сравнений, например `h < R`, и стоит в списке `ranges`
    .help = пометьте диапазоны, названные в условии
parse-trailing = { $what }: здесь должен быть конец, а стоит { $found }
parse-keyword = `{ $word }` — слово языка и не может быть именем
    .help = выберите другое имя
parse-contradiction = `{ $first }` и `{ $second }` исключают друг друга
parse-several-targets = несколько переменных сразу столбцы записывают только с `once: true`
    .help = запишите `:=` с условием `when`, которое является событием, или отдельную строку для каждой переменной
parse-uneven-targets =
    слева { $targets ->
        [one] { $targets } переменная
        [few] { $targets } переменные
       *[other] { $targets } переменных
    }, справа { $values ->
        [one] { $values } значение
        [few] { $values } значения
       *[other] { $values } значений
    }
    .help = запишите по одному значению для каждой переменной
parse-uneven-conditions =
    слева { $targets ->
        [one] { $targets } переменная
        [few] { $targets } переменные
       *[other] { $targets } переменных
    }, после `when` { $conditions ->
        [one] { $conditions } условие
        [few] { $conditions } условия
       *[other] { $conditions } условий
    }
    .help = запишите одно условие для всех переменных или по одному для каждой
parse-no-reduction = `{ $word }` не берётся по элементам семейства
    .note = по элементам берутся: { $known }
parse-bad-name = `{ $text }` — не имя: { $why }
parse-empty-name = пустое имя
parse-unknown-format = таблицы формата { $found } не читаются
    .help = программа читает формат 1
parse-bad-id =
    .help = идентификатор — одно слово: `[3a]`, `[3a after 3]`, `[before 3]`
parse-switch-in-relation =
    .help-switches-set = переключатели задаются присваиванием
    .help-switches-set-2 = переключатели задаются присваиванием, в списке `assignments`: `{ $meant }`
parse-comparison-as-number =
    .help = назовите его диапазоном, `name: a < b`, и пишите в строках `when name`
parse-out-of-range = `{ $field }`: значение должно быть таким: { $expected }
parse-missing-operator = между `{ $left }` и `{ $right }` не хватает знака операции
    .label = перед этим не хватает знака операции
parse-missing-and = если должны выполняться оба условия, поставьте `&`
    .is = логическое значение само по себе — условие: запишите `{ $left }`, а для обратного — `!{ $left }`
parse-if-product-meant = если имеется в виду произведение, поставьте `*`
parse-missing-parentheses = нужны скобки вокруг `{ $argument }` — аргумента процедуры `{ $procedure }`
    .help = аргумент пишется в скобках
    .help-all = запишите весь аргумент в скобках после `{ $procedure }`
parse-no-row = это не строка таблицы
parse-nameless = { $row } без имени
    .help = поставьте перед этим имя и двоеточие
parse-empty-row = пустая строка
parse-forms-of-ranges = строка имеет вид `name: a < b`
parse-forms-of-situations = строка имеет вид `name: a & !b` или `event name: a & !b`
parse-forms-of-assignments = строка имеет вид `when a & !b: name, !name`
parse-forms-of-relations = строка имеет вид `name = expression when a & !b`
parse-forms-of-reactions = строка имеет вид `A + 2 B -> C : k` или `A -> B at rate`
parse-forms-of-scene = строка имеет вид { $form }
parse-forms-of-rows = строка имеет вид `name = expression when a`, `name: a & !b` или `when a: name`
parse-empty-list = список `{ $field }` пуст
parse-no-measure = не указан показатель
    .no-measure = показателя `{ $kind }` нет
    .help = есть { $known }, например `max(h)` или `first(h < 0)`
parse-name =
    .help = любое другое имя заключается в обратные апострофы
parse-number =
    .help = запишите `{ $digits }`, без кавычек и единицы измерения
    .help-unit = запишите число без кавычек, в единице, которая принята для него в таблице
    .help-write-like = запишите в виде `1e-3`
    .help-leave-out = уберите `_`
parse-truth =
    .help = запишите `{ $truth }`
parse-write-quotes = возьмите это в кавычки
parse-fields =
    .help-write-name = запишите `(name: ..)`, имена полей без кавычек
parse-entries =
    .help-write = запишите `{ "{" }"name": value{ "}" }`
    .names-values-such = имена и значения, например `{ "{" }"name": { $example }{ "}" }`
    .what = слово без кавычек `{ $written }`
parse-unclosed-bracket = скобка перед строкой не закрыта
    .help = запишите `[{ $id }]`
parse-other-body =
    .help = присваивание переключателей начинается с `when`
parse-targets =
    .help-rate-write = для скорости изменения запишите `{ $real } = integral(..)`
    .help-left-real = слева от `=` стоит только переменная, которую вычисляет строка
    .help = назовите переменную, которую вычисляет строка
parse-literal = `!` ставится только перед именем
    .help-two-negations = два отрицания взаимно уничтожаются: уберите оба
    .help-turn-comparison = обратите сравнение: запишите `{ $opposite }` и уберите `!`
parse-literal-kind = это число, а не истина или ложь
    .help = сравните его с другим значением или назовите диапазон, ситуацию или переключатель
parse-no-conjunction = аргумент — одно условие, а не конъюнкция
    .help = назовите конъюнкцию ситуацией и подставьте её имя
parse-join = в этом выражении подряд идёт больше { $MAX_HEIGHT } операций
parse-nested = вложенность этого выражения больше { $MAX_NESTING }
parse-negated-operand = логическое значение на месте числа
parse-condition-in-parentheses = условие не пишется в скобках
    .help = уберите скобки или назовите то, что в них, отдельной ситуацией
    .help-negated = назовите содержимое скобок отдельной ситуацией, `both: a & b`, и напишите `!both`
parse-two-bounds = границ две: нижняя и верхняя
    .help = запишите `bounds: [0, 10]`
parse-rate-of-elements = скорости элементов семейства `{ $base }` так не находятся
    .help = находите отдельное семейство, `solve v[j]: ..`, и запишите `{ $base }[j] = integral(v[j])`
parse-bounds-of-several = границы задаются только для одной неизвестной
    .help = выделите каждой неизвестной отдельную строку с её границами
parse-uneven-equations =
    { $targets ->
        [one] { $targets } вещественная переменная не находится
        [few] { $targets } вещественные переменные не находятся
       *[other] { $targets } вещественных переменных не находятся
    } из { $equations ->
        [one] { $equations } уравнения
       *[other] { $equations } уравнений
    }
    .help = неизвестных должно быть столько же, сколько уравнений; они перечисляются через запятую
parse-no-condition = не сказано, когда срабатывает этот переход
    .help = запишите `a -> b when condition: x := value; y := value`
parse-tolerance = допуск стоит после значения, которое должно получиться
    .help = запишите `max(h) = 2 +- 1e-6` или границу без `+-`
    .below-zero = допуск не меньше нуля, а здесь он { $value }
parse-at-time = время в `at` — число
    .help = запишите в виде `at(h, 1.5)`
parse-comparisons =
    .help = в диапазоне хотя бы одно сравнение
parse-condition =
    .help = назовите хотя бы один диапазон, ситуацию или переключатель либо уберите поле
parse-switches-to-set =
    .help = назовите переключатели, которые задаёт строка
parse-count =
    .whole-number = целое число от 1 до { $MOST_TIMES }
parse-axis =
    .numbers =
        { $n ->
            [one] { $n } число
            [few] { $n } числа
           *[other] { $n } чисел
        }
    .rows-above = { $per_row }, как в строках выше
parse-row =
    .what = строка списка `{ $list }`
parse-relation =
    .help = укажите `once: true` и `when`, которое является событием, или отдельную строку для каждой переменной
parse-id = пустой идентификатор
    .after-before = `after` и `before` не могут быть идентификаторами
    .id-holds = в идентификаторе нет пробелов
    .id-brackets = у скобки в этом идентификаторе нет парной
parse-or = { " " }или{ " " }
parse-the-end = конец строки
parse-a-comment = комментарий
