call-unknown-procedure = `{ $name }` — { $kind }, а не процедура
    .label-called-here = вызывается здесь
    .help-if-product = если имеется в виду произведение, поставьте `*`
    .unknown-procedure = неизвестная процедура `{ $name }`
    .label-no-procedure = процедуры с таким именем нет
    .help-formula = запишите `{ $formula }`
    .help-log = запишите `ln(a)`, а десятичный логарифм — `ln(a) / ln(10)`
    .help-situ-procedures = список процедур выводит `situ procedures`
call-family-called = `{ $name }` — семейство, а не процедура
    .help = индекс стоит в квадратных скобках: `{ $name }[j]`
call-argument-count = процедура `{ $procedure }` принимает { $wanted }, а задано { $n_written }
    .argument = 1 аргумент
    .arguments =
        { $most ->
            [one] { $most } аргумент
            [few] { $most } аргумента
           *[other] { $most } аргументов
        }
    .arguments-2 = от { $least } до { $most } аргументов
    .help-write = запишите `{ $name }({ $name }(a1, a2), a3)`
    .help-numbers-written = дробная часть числа отделяется точкой
    .help-write-2 = запишите `{ $call }`
call-schedule-arguments = `every` принимает от 1 до 2 аргументов, а задано { $n_written }
    .help = запишите `every(period)` или `every(period, first)`
call-rate-outside = `rate({ $real })` имеет смысл только в строках, которые решаются
    .label-another-row = стоит в другой строке
    .help-solve-real = находите отдельную переменную, `solve v: ..`, и запишите `{ $real } = integral(v)`
    .no-row = ни одна строка не находит `rate({ $real })`
    .label-found-nowhere = нигде не находится
    .help-solve-solve = находите её, `solve rate({ $real }): ..`, или дайте `derivative({ $real })` отдельную строку и имя
call-solved-twice = строки `{ $first }` и `{ $second }` обе находят `{ $name }`
    .label = находит ещё раз
    .also = находит
    .help = обе действуют всегда: находите две переменные или дайте строкам взаимоисключающие условия
call-not-in-equation = `{ $name }` не находится из того, что сказано в строке `{ $id }`
    .label-equation-needed = её уравнение нужно для другой переменной
    .help-each-real = каждой переменной нужно уравнение, в которое она входит и которое не нужно другой переменной
    .label-no-equation = ни одно уравнение от неё не зависит
    .help-each-real-2 = каждой переменной нужно уравнение, в которое она входит, хотя бы через другие строки
call-rate-of-no-real = `{ $real }` — не вещественная переменная, скорости изменения у неё нет
    .label = не может быть найдена
    .help = найти можно скорость изменения переменной, объявленной в таблице
call-memory-inside = у процедуры `{ $procedure }` есть память, внутри выражения она стоять не может
    .label = в своей строке должна стоять снаружи
    .help-write-coefficient = запишите коэффициент внутри, `{ $replacen }`, или дайте процедуре `{ $procedure }` отдельную строку и имя
    .help-give-row = дайте ей отдельную строку и имя
call-memory-at-event = у процедуры `{ $procedure }` есть память, при событии она выполняться не может
    .label = действует во времени
    .also = истинно только одно мгновение
    .help = возьмите длящуюся ситуацию
call-coefficient-of =
    .of = `{ $name }` процедуры `{ $procedure }`
    .coefficient = коэффициент
call-variable-coefficient = { $what }: нужно число или константа; `{ $name }` — { $kind }
    .help = произведение двух величин — процедура `product`
call-compound-coefficient =
    .must-number-name = { $what }: нужно число или имя константы, со знаком или без него
    .help = дайте выражению имя в `constants`
call-no-coefficient = у процедуры `{ $procedure }` нет коэффициента
    .help = уберите его или умножьте результат в отдельной строке
call-no-second-coefficient = у процедуры `{ $procedure }` нет второго коэффициента; он есть только у `sum`
    .help = уберите `coef2`
call-missing-parameter = процедуре `{ $procedure }` нужен `{ $parameter }`
    .help = запишите `{ $call }`; в столбцах `{ $parameter }` — это коэффициент `coef`
