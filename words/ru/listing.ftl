# Что перечисляет `situ show`: заголовки списков и столбцов.

listing-assignments = присваивания
listing-cases = случаи
listing-constants = константы
listing-constraints = связи
listing-invariants = инварианты
listing-lookups = табличные функции
listing-parts = части
listing-ranges = диапазоны
listing-reactions = реакции
listing-reals = вещественные переменные
listing-relations = соотношения
listing-situations = ситуации
listing-switches = переключатели
listing-systems = системы уравнений
listing-column-about = описание
listing-column-after = после
listing-column-arg-1 = арг. 1
listing-column-arg-2 = арг. 2
listing-column-changes = что меняет
listing-column-coef = коэф.
listing-column-coef-2 = коэф. 2
listing-column-derivatives = производных
listing-column-equation = уравнение
listing-column-finds = находит
listing-column-from = из файла
listing-column-from-rows = из строк
listing-column-id = id
listing-column-inputs = входы
listing-column-kind = вид
listing-column-name = имя
listing-column-note = примечание
listing-column-number = номер
listing-column-order = очередь
listing-column-outside = снаружи
listing-column-points = точек
listing-column-procedure = процедура
listing-column-rate = скорость
listing-column-row = строка
listing-column-rule = правило
listing-column-situation = ситуация
listing-column-solved = решается
listing-column-stage = стадия
listing-column-start = начало
listing-column-table = таблица
listing-column-unit = единица
listing-column-value = значение
listing-column-variable = переменная
listing-steady-from = из { $formula }
listing-own-inputs = входы: { $names }
listing-late = соединения, которые в тактах читают значения предыдущего такта
listing-more = и ещё { $n }
listing-parts-of = { $n } { $n ->
        [one] часть
        [few] части
       *[other] частей
    } { $name }: { $file }
