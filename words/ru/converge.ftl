# Сходимость прогонов со всё меньшим шагом или допуском.

converge-nothing = Больше ничего не меняется: осталось только округление.
converge-not = `{ $name }` не сходится: при делении `{ $setting }` на { $by } её изменение остаётся таким же.
    .rounded = Моменты событий округляются до тактов; --events находит их точно.
converge-all = Все сходятся; медленнее всех `{ $name }`: при делении `{ $setting }` на { $by } её погрешность делится на { $divided }.
converge-events = Событий в прогонах не поровну: { $counts }.
converge-column-changes = изменения от прогона к прогону
converge-column-order = порядок
converge-column-error = погрешность последнего
converge-too-small = { $error }; уменьшите --runs или начните с большего --rtol
