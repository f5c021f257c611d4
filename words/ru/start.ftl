start-circular = начальные значения зависят друг от друга по кругу: { $names }
start-shape = `{ $name }` определяет число элементов модели: она построена для { $made_for }, а при { $value } получается другая модель
start-not-finite = начальное значение `{ $name }` равно { $value }
start-bad-interval = длина `{ $what }` не может быть равна { $value }
start-delay-too-long = запаздывание слишком длинное, в тактах: { $ticks }
start-past-not-finite = прошлое запаздывающей величины не имеет значения при { $time }
