native-machine = для этой машины нет машинного кода: { $why }
native-too-large = таблица слишком велика для машинного кода
native-refused = машинный код не получается: { $why }
