"""9 Mistakes are values."""

import situ

text = '(format: 1, reals: {"height": 1}, relations: ["height = integral(-heigth)"])'
try:
    situ.loads(text)
except situ.TableError as e:
    found = e.diagnostics[0].code, e.diagnostics[0].line, e.diagnostics[0].help

assert found[1] == 1 and "height" in found[2]
