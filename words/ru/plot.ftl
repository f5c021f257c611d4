plot-nothing = нечего рисовать
plot-time = время
plot-index = индекс
plot-and-more = { $names } и ещё { $n }
plot-first-argument = первый аргумент
plot-second-argument = второй аргумент
