why-mover =
    .push-border-rests = давление границы, на которой она покоится
    .put-back-onto = возврат на связи
    .error-sums-above = погрешность сумм выше
why-holds = выполняется
    .does-not-hold = не выполняется
why-line =
    .see-above = { " " }(см. выше)
    .going-t = ; выполнится при t = { $at }
    .not-before-t = ; не раньше t = { $end }
    .slides-along = скользит вдоль этой границы
    .rests = покоится на этой границе
    .state-border-when = состояние { $bound }: она, как в начале, { $holds }
    .border-side-where = { $line }: на своей границе, с той стороны, где выполняется
    .border-side-where-2 = { $line }: на своей границе, с той стороны, где не выполняется
    .margin = { $line }: { $left } { $symbol } { $right }, запас { $margin }
    .start-nothing-arises = ; в начале ничего не возникает
    .arose = ; возникло
    .what-follows-turned = ; то, из чего оно следует, с тех пор изменилось
    .but-held-before = ; но выполнялось и раньше, поэтому не возникло
    .did-not-hold = ; раньше не выполнялось: возникло
    .was-before-assignments = так было до присваиваний; с тех пор изменилось
    .set-last-t = последний раз задано при t = { $at }: { $line }
    .no-assignment-written = ни одно присваивание его не записывало: значение начальное или заданное
    .holds-but-switch = выполняется, но с тех пор переключатель задан иначе
    .holds-but-start = выполняется, но в начале ничего не возникает
    .holds-held-before = выполняется и выполнялось раньше: чтобы возникнуть снова, должно закончиться
    .new-here-start = только что появилась, значение начальное
    .new-here-present = появилось только что: определено по текущим значениям
    .was-set-prompt = задано в командной строке после последнего шага
    .gave = { $line }   дала { $value }
    .counts-state-slides = { $line }   вклад { $share }: состояние скользит вдоль границы
    .differentiated = дифференцировано:{ " " }
    .slope = , наклон { $slope }
    .off = { $derivatives }{ $equation }   отклонение { $residual }{ $slope }
    .put-back-onto = возврат на связи, на { $moved }
    .no-rule-written = ни одно правило её ещё не записывало: значение начальное или заданное
    .no-rule-writes = сейчас её не записывает ни одно правило; последней записала { $relation }, при t = { $at }
    .row = эта строка
    .these-rows = эти строки
    .start = начала
    .written-since = записывает { $writers } с { $since }
