setting-no-step = не задана длина такта
setting-no-stop = не задан конец прогона
setting-not-positive = значение `{ $setting }` должно быть больше нуля и конечно, а задано { $value }
setting-not-multiple = `every` ({ $every }) не кратно `step` ({ $step })
setting-too-many-ticks = в прогоне до { $stop } с шагом { $step } слишком много тактов
setting-not-in-ticks = внутри такта нет состояний, по которым можно искать способом `{ $way }`; для тактов есть `none`, `linear` и `quadratic`
setting-rtol = относительный допуск { $value } не лежит между 2.2e-15 и 1
setting-atol = абсолютный допуск `atol` = { $value } должен быть нулём или больше и конечен
setting-fixed-step = у метода `{ $method }` постоянный шаг, а он не задан: укажите `step` или `h0` (`--step`, `--h0`)
setting-h0 = шаг `h0` = { $value } должен быть больше нуля и конечен
setting-limits = `hmin` = { $hmin } и `hmax` = { $hmax }: кратчайший шаг должен быть нулём или больше и конечен, а длиннейший — больше нуля и не короче
