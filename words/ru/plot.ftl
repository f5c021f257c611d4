plot-nothing = нечего рисовать
plot-time = время
plot-index = индекс
    .first = первый индекс
    .second = второй индекс
plot-and-more = { $names } и ещё { $n }
plot-first-argument = первый аргумент
plot-second-argument = второй аргумент
plot-two-indices = у `{ $family }` два индекса: карта показывает её сеткой в каждый момент
plot-many-indices = у `{ $family }` индексов { $n }, а на рисунке видны один или два; отдельные элементы показывают кривые
plot-map-times = карта `{ $family }` показывает все моменты; значения в отдельные моменты показывает профиль
plot-at-time = { $name } при t = { $time }
plot-too-large = рисунок слишком велик
plot-film-form = вид меняет свои пропорции посреди фильма
