"""10 Fit with what there is."""

import numpy
import scipy.optimize
import situ

hoop = situ.load("scenarios/hoop/table.ron")
times = numpy.linspace(0.1, 1.5, 15)
measured = hoop.run(set={"K_braking": 9000}, events=True, stop=2).at(times, "h")

fit = scipy.optimize.least_squares(
    lambda p: hoop.run(set={"K_braking": p[0]}, events=True, stop=2).at(times, "h") - measured, [8000]
)

assert abs(fit.x[0] - 9000) < 1
