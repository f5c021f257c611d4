# Охват: что из таблицы прошёл прогон.

coverage-never = ни разу
coverage-some-never = { $n } ни разу
coverage-active-from-to = { $from } … { $to }
coverage-column-share = доля
coverage-column-rule = правило
coverage-column-active = действует
coverage-column-combination = сочетание
coverage-column-lasted = длилось
coverage-column-first-at = впервые
coverage-rules-fired =
    { $n ->
        [one] { $fired } из { $n } правила
        [few] { $fired } из { $n } правил
       *[other] { $fired } из { $n } правил
    }
coverage-fired-in = сработало { $fired }: { $work }
coverage-elsewhere = { $share } времени в других сочетаниях, которых слишком много, чтобы их различать
coverage-nothing = ничего
coverage-more = ещё { $n }
