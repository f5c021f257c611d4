# Профиль прогона: на что уходит время.

profile-took = { $steps } за { $time }
    .evaluations = , скорости изменения: { $evaluations }
    .pace = ; за секунду работы `time` проходит { $pace }
profile-column-mode = режим: что выполняется
profile-column-steps = шагов
profile-column-rejected = отвергнуто
profile-column-evaluations = вычислений
profile-column-time = время
profile-column-share = доля
profile-column-instant = в момент события
profile-column-times = раз
profile-column-each = каждое
profile-column-real = наибольшая погрешность у
profile-column-in-steps = в шагах
profile-column-in-rejected = в отвергнутых пробах
profile-column-rule = правило
profile-column-executed = выполнено
profile-nothing-named = ничего, что имеет имя
profile-linear = линейные системы: неизвестных { $unknowns }{ $algebraic ->
        [0] {""}
       *[other] { " " }(из них алгебраических, которые находятся из уравнений: { $algebraic })
    }, элементов матрицы Якоби { $entries }, решаются так: { $way }; оценка числа операций разложения с 20 решениями: { $each }
    .dense = плотное разложение
    .sparse = разреженное разложение
    .gmres = GMRES
    .work = { $way } { $work }
