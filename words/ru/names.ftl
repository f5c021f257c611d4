names-count-uses =
    .used-places =
        встречается в { $n_uses ->
            [one] { $n_uses } месте
            [few] { $n_uses } местах
           *[other] { $n_uses } местах
        }
names-declared-here =
    .also = { $kind }, объявление здесь
names-once-without-event = { $sign } действует только при событии
    .also = не событие
    .write-name-event = запишите `=` или назовите в условии событие, например ситуацию `event hit: h < 0`
    .help = уберите `once` или назовите в `when` событие, например ситуацию `event hit: h < 0`
names-event-and-level = у `{ $name }` есть строки с `event` и без него
    .event-here = здесь событие
    .level-here = здесь длящаяся ситуация
    .help = дайте два разных имени или запишите все строки одинаково
names-forward-reference = `{ $name }` используется выше строки, которая её определяет
    .label = ещё не вычислена
    .also = вычисляется здесь
    .help = перенесите эту строку ниже всех строк с этим именем
names-self-reference = `{ $name }` определяется через себя
    .help = то, что нужно помнить, — переключатель; он задаётся присваиваниями
names-second-otherwise = у `{ $name }` две строки с `otherwise`
names-first = первая
names-leave = оставьте одну
names-lonely-otherwise = `otherwise` без другой строки для `{ $name }`, в которой есть условие
    .help = уберите его или дайте другой строке условие
names-several-by-procedure = несколько переменных записывает `assignment`, а не `{ $procedure }`
    .help = запишите для каждой отдельную строку
names-value-count =
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
names-written-twice = одна строка записывает `{ $name }` дважды
    .help-element = допишите к строке `one after another`, если её элементы должны действовать по очереди, каждый на то, что оставил предыдущий
names-circular-start = начальное значение `{ $first }` зависит от себя самого
    .help-give-them = дайте одной из величин число
    .help-give-number = дайте этой величине число
    .note-circle = круг: { $path }
    .also = от него зависит и `{ $name }`
    .note-case = в случае `{ $case }`
names-no-period = период в `every` должен быть больше нуля, а он равен { $value }
names-no-format = в таблице не указан её `format`
    .help = эта версия читает формат 1
names-constant-without-value = у константы `{ $name }` нет значения
    .help = задайте ей `start`
names-setting-kind =
    .starts-true-false = `{ $name }` — { $kind }: начальное значение — `true` или `false`
    .them-too = вместо них можно писать 0 и 1
    .starts-number = `{ $name }` — { $kind }: начальное значение — число
    .computed-cannot-set = `{ $name }` — { $kind }: значение вычисляется, задать его нельзя
    .constants-reals-switches = задать можно константы, вещественные переменные и переключатели
names-unknown-name =
    .written-but-table = записывается `{ $name }`, но вещественной переменной с таким именем в таблице нет
    .set-but-table = задаётся `{ $name }`, но переключателя с таким именем в таблице нет
    .set-here = задаётся здесь
    .unknown-name = неизвестное имя `{ $name }`
    .used-condition-here = используется здесь как условие
    .used-number-here = используется здесь как число
    .nothing-name-set = задать нечего: такого имени нет
    .row-without-when = строка без `when` действует всегда
    .truth-value-not = логическое значение — не число; условия пишутся после `when`
    .help-time-run = время прогона обозначается `{ $word }`
    .help-start-run = начало прогона обозначается `{ $word }`
    .help-number-written = это число записывается как `{ $word }`
    .did-you-mean =
        может быть, `{ $near }`? Выглядит так же, но в нём { $that ->
            [Cyrillic] русские
           *[Latin] латинские
        } буквы, а здесь { $this ->
            [Cyrillic] русские
           *[Latin] латинские
        }
    .help-procedure-write = `{ $name }` — процедура: запишите `{ $call }`
    .help-define-row = определите его строкой `{ $name }: ..` или объявите в `switches`
    .help-change = строка задаёт саму переменную, а не её скорость или приращение: запишите `{ $real } = integral(..)`
    .help-dt = шаг прогона — не величина: то, что накапливается со временем, записывается как `integral(..)`
    .help-rate = скорость изменения вычисляет отдельная строка: `v = derivative({ $real })`
    .help-declare = объявите его в списке `{ $list }`
names-written-here = записывается здесь
names-name-clash = имя `{ $name }` использовано дважды
    .label = здесь { $kind }
    .also = здесь { $kind }
    .help-range-row = у диапазона одна строка: если имя должно быть истинно в нескольких случаях, дайте имя каждому диапазону и запишите ситуацию, в которой для каждого случая своя строка
    .help-give-them = дайте одному из них другое имя
names-look-alike = два имени выглядят одинаково: `{ $name }`
    .help = дайте одному из них другое имя или запишите оба одними и теми же буквами
names-mixed-scripts = в `{ $word }` смешаны латинские и русские буквы, которые выглядят одинаково
    .help = запишите слово буквами одного алфавита
names-spelling =
    .all-letters-latin = все буквы латинские
    .all-letters-cyrillic = все буквы русские
    .cyrillic = русские: { $cyrillic }
names-condition-for-number = `{ $name }` — { $kind }, а нужно число
    .label = здесь нужно число
    .help = условие выбирает строки: запишите `when { $name }` в конце строки
    .condition-where = условие на месте числа
    .help-count = дайте условию имя, объявив ситуацию, или сосчитайте выполненные: `number(.. for ..)`
names-quantity-for-condition = `{ $name }` — { $kind }, а нужно условие
    .help = сравните с чем-нибудь, например `{ $name } > 0`
names-condition-needed-here = здесь нужно условие
names-invariant-used = `{ $name }` — инвариант, правила его не читают
    .label = здесь нужна величина или условие
    .help = сделайте его вещественной переменной с отдельным правилом и укажите её как инвариант
names-not-written-out = счётчики бывают только в таблицах
    .help = назовите элемент числами, например `u[3]`
names-start-not-supported = { $what }: пока не поддерживается
    .solve = поиск начального значения решением уравнения
    .case = начало отдельного случая в равновесии
    .help = чтобы начать в равновесии, запишите `steady` у переменных или в часах таблицы; остальные начальные значения задаются
names-number-for-condition = число на месте условия
    .help = запишите имя диапазона, ситуации или переключателя либо сравнение
names-constant-written = записывается константа `{ $name }`
    .also = здесь константа
    .help = перенесите её в `reals`
names-not-a-real = `{ $name }` — { $kind }; соотношение записывает только вещественные переменные
    .label = здесь нужна вещественная переменная
    .help = переключатель задаётся присваиванием: `when condition: { $value }`
names-not-a-switch = `{ $name }` — { $kind }; присваивание задаёт только переключатели
    .label = здесь нужен переключатель
names-past-reads = прошлое переменной не может зависеть от `{ $name }`
    .label = своего прошлого здесь нет
    .help = выразите его через `time`, константы и табличные функции
names-real-here = здесь вещественная переменная
names-rate-of-the-past = запаздывание `rate({ $real })`: уравнения нейтрального типа не поддерживаются
    .label = скорость изменения в прошлом
    .help = дайте скорости изменения отдельную строку и имя, `v = ..` и `{ $real } = integral(v)`, и берите с запаздыванием `v`
names-not-known-before = `{ $name }` до прогона неизвестна
    .start-value-may = в начальном значении допустимы числа, константы и другие начальные значения
    .only-numbers-constants = здесь допустимы только числа и константы
    .label = меняется в ходе прогона
names-kind =
    .constant = константа
    .real = вещественная переменная
    .lookup = табличная функция
    .switch = переключатель
    .range = диапазон
    .situation = ситуация
    .invariant = инвариант
    .name-used-twice = имя, использованное дважды
names-join-twin =
    .help = может быть, `{ $name }`? Строки его используют, но оно нигде не объявлено
