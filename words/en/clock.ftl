# Settings of a clock: what each is.

clock-step = Length of a tick, and of a step of a method with fixed steps [units of time]
clock-stop = End of the run [units of time]
clock-every = Distance of output rows [units of time]; in ticks a multiple of the step
clock-unit = Unit of the time, in which all times of the table are
clock-stepping = How the table is run
clock-scan = Which values the rows of a tick see
clock-integral = Formula of the procedure `integral` in a tick
clock-method = Integration method between events
clock-rtol = Relative tolerance of a step
clock-atol = Absolute tolerance of a step, in the unit of each real
clock-h0 = First step, and the step of a method with fixed steps [units of time]
clock-hmin = Shortest step [units of time]
clock-hmax = Longest step [units of time]
clock-max_events = Most event instants; a run that has more ends with an error
clock-max_steps = Most ticks or steps; a run that needs more ends with an error
clock-max_rows = Most rows; a run that has more ends with an error
clock-locate = How an event is located in a step or a tick
clock-step_formula =
    Length of each tick, or step of a method with fixed steps, read where it begins, e.g. `min(h, 1) * 0.01`
clock-stop_when = The run ends after the first row in which this holds, e.g. `h < R & Vy > 0`
