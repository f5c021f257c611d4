"""8 A model built by a program."""

import situ

t = situ.Table("growth")
k = t.constant("k", 0.3, unit="1/s")
x = t.real("x", 1)
t.relation("x = integral(k * x)")
t.event("full", "x > 10")
print(t.to_ron())

assert situ.loads(t.to_ron()).run(step=0.01, stop=1)["x"][-1] > 1.3
