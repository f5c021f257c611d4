scene-attribute-kind =
    .attribute-such = свойство, например { $examples }
scene-comma =
    .and = `,` и { $what }
scene-there-are = есть { $copied }
scene-no-shape = пустая строка
    .no-shape = `{ $word }` — не фигура: строка сцены начинается с названия фигуры
scene-unknown-attribute = у фигуры { $shape } нет свойства `{ $word }`
scene-attribute-of-another = у фигуры { $shape } нет текста
    .no-points = у фигуры { $shape } нет точек
    .no = у фигуры { $shape } нет `{ $kind }`
    .help = у неё могут быть { $examples }
scene-point-without-word = место фигуры { $shape } указывается после `{ $word }`
    .help = запишите `{ $word }`
scene-missing-comma = перед `{ $word }` не хватает запятой
    .help = разделяйте свойства запятыми
scene-lacks = фигуре { $shape } не хватает: { $what }
    .help = запишите в виде `{ $example }`
    .points = точки
    .text = текст
scene-not-two-coordinates =
    у точки две координаты, а не { $n ->
        [one] одна
       *[other] больше
    }
    .help = запишите в виде `(x, y)`
scene-number-of-points = фигура { $name } соединяет точки, нужно { $wanted }, а задано { $found }
    .help-write-x = запишите `(0, 0) to (x, y)` или, для семейства, `(x[j], y[j]) for j`
    .of-a-family = точки семейства
    .help-polyline-joins = больше точек, в том числе точки семейства, соединяет `polyline`
scene-unknown-colour = не хватает цвета
    .no-colour = `{ $word }` — не цвет
    .note = у цветов есть имена, и у каждого оттенки для светлого и тёмного фона
scene-unknown-side = не хватает стороны
    .no-side = `{ $word }` — не сторона текста
scene-unclosed-letters = этот текст не закрыт
    .help = завершите его знаком `'`; кавычка внутри пишется дважды, `''`
scene-unclosed-brace = фигурная скобка в этом тексте не закрыта
    .help = запишите `{ "{" }x{ "}" }` для значения x или `{ "{" }{ "{" }` для скобки
scene-stray-brace = эта фигурная скобка ничего не закрывает
    .help = запишите `{ "}" }{ "}" }` для скобки
scene-digits = `{ $text }` не говорит, сколько цифр показывать
    .help = запишите `{ "{" }x:.2{ "}" }` для двух цифр после точки, не больше { $most }
scene-never-counts = это свойство `{ $name }` никогда не действует: всегда действует предыдущее
    .also = действует без условия
    .help = из одинаковых свойств действует первое, условие которого выполняется: поставьте это раньше, с `when`
scene-view = у вида четыре границы, а не { $found }
    .help = запишите `view: (left, upper, right, lower)`, например `view: (-1, 6, 11, -0.5)`
scene-shape-in-columns = строка сцены пишется в кавычках
    .help = запишите в виде `"{ $example }"`
scene-no-such-group = группа `{ $name }` стоит ниже своей фигуры
    .also = группа
    .help-move-group = перенесите группу выше фигур, которые в ней стоят
    .scene-no = в сцене нет группы `{ $name }`
    .help-row-above = её описывает строка выше, например `{ $example }`
scene-no-group = `{ $name }` — фигура { $kind }, а не группа
    .also = фигура
    .help = другие фигуры могут стоять только в `group`
scene-no-view = в сцене не сказано, какая часть плоскости видна
    .help = добавьте границы, `view: (left, upper, right, lower)`
scene-empty-view =
    у вида нет { $what ->
        [width] ширины
       *[height] высоты
    }
    .help = запишите `view: (left, upper, right, lower)`, противоположные границы не совпадают
scene-instant-in-scene = сцена не может читать `{ $word }`
    .help = это длится одно мгновение, которого сцена не видит: назовите ситуацию или сравните `time`
scene-needs-a-quantity = этой фигуре нужна отдельная величина
    .note = взятое по элементам с условием — переменная или ситуация, которую вычисляют правила; сцена их не добавляет
    .help = дайте этому имя: строка в `relations` или `situations`, и рисуйте её
scene-counting-shape-without-name = у фигуры { $kind } для каждого элемента есть имя со счётчиком
    .help = запишите в виде `{ $kind } name[{ $counter }]: ..`
