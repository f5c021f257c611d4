foreign-write = запишите `{ $meant }`
foreign-drop-invisible =
    .help-leave-out = уберите лишнее
    .help-write-plain = поставьте обычные пробелы
foreign-id-without-brackets = идентификатор `{ $id }` стоит без скобок
    .help = запишите `[{ $id }]`
foreign-choice = у строки одно значение; какая строка действует, указывает `when`
    .help = запишите строку для каждого значения, `x = a when condition`, и последнюю `x = b otherwise`
    .write-two-rows = запишите две строки: `{ $target } = { $first } when { $condition }` и `{ $target } = { $second } otherwise`
foreign-unit-behind-number = после числа `{ $number }` стоит единица измерения `{ $unit }`
    .note = если имеется в виду произведение, поставьте между ними `*`
    .help = у чисел в строках нет единиц измерения: запишите число в единице той величины, рядом с которой оно стоит
foreign-percent-of = допуск — это разность, а не доля: умножьте долю на `{ $value }`
foreign-prefix =
    .why = `{ $letter }` не обозначает степень десяти
    .note = если имеется в виду произведение с `{ $letter }`, запишите `{ $digits } * { $letter }`
foreign-sign-of-another-list = { $row } пишется со знаком `{ $meant }`, а не `{ $sign }`
foreign-condition-in-front = строка задаёт значение вещественной переменной, условие записывается в конце строки
foreign-arguments-in-brackets = аргументы процедуры `{ $procedure }` стоят в круглых скобках
    .help = поставьте `(` и `)`
foreign-rate-on-the-left = строка вычисляет переменную, а не её скорость изменения: `{ $real }` — интеграл от неё
    .help = запишите интеграл
foreign-comment = `{ $sign }` не начинает комментарий в строке
    .help = комментарий начинается с `#`
    .note = целая часть частного — `floor(a / b)`
