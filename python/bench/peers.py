"""Hybrid runs and a fit, called from Python: situ beside what people use there.

`python python/bench/peers.py`, at the root of the repository, with the module as released and what of tellurium, basico,
scipy, diffrax and numba is installed; with names of workloads (H1 to H5, fit) or libraries only these. Each pair has a process
of its own. Prints a table in Markdown: seconds from the start of Python to the first result, milliseconds per run (of a
fit: per fit), and the largest error; of H3, whose motion is chaotic, that of the energy.

H1 to H5 are the tables of `benches/tables`; their exact results are those of `benches/src/hybrid.rs`. The tolerance is 1e-8
everywhere, relative and absolute. The fit finds stiffness, damping and start of a damped pendulum from 40 exact points.
"""

import json
import math
import os
import subprocess
import sys
import time

TOLERANCE = 1e-8
G = 9.81

EXACT = {
    "H1": {"h": 0.00012231297985888676, "v": 0.020011979118961295},
    "H2": {"h": 15.361606741608398},
    "H4": {"angle": -1.307672346370374, "rate": -0.15842508715424258},
    "H5": {
        "p1": 1.0997680599462456,
        "v1": 0.6528356664020164,
        "p2": 2.2286681839053375,
        "v2": 0.5524904492553361,
        "s": 3.1710501069586294e-5,
    },
}
STOP = {"H1": 12.8, "H2": 10.0, "H3": 1000.0, "H4": 1000.0, "H5": 50.0}

SLOPE, NORMAL = math.tan(math.radians(10)), (-math.sin(math.radians(10)), math.cos(math.radians(10)))

TRUE, GUESS = (9.0, 0.3, 1.2), (6.0, 0.1, 1.0)
FIT_TIMES = [0.25 * (i + 1) for i in range(40)]


def wrong(workload, values):
    """Error of the values at the end: the largest difference; of H2 relative, of H3 that of the energy."""
    if workload == "H3":
        energy = 0.5 * (values["u"] ** 2 + values["v"] ** 2) + G * values["y"]
        return abs(energy / (0.5 * 9 + G * 2) - 1)
    exact = EXACT[workload]
    scale = exact["h"] if workload == "H2" else 1.0
    return max(abs(values[name] - value) / scale for name, value in exact.items())


def with_situ(workload):
    import numpy
    import situ

    if workload == "fit":
        model = situ.loads(
            """(format: 1, clock: (stop: 10), constants: {"k": 6, "c": 0.1},
            reals: {"angle": 1, "rate": 0},
            relations: ["angle = integral(rate)", "rate = integral(-k * sin(angle) - c * rate)"])"""
        )
        times = numpy.array(FIT_TIMES)
        options = {"events": True, "rtol": TOLERANCE, "atol": TOLERANCE, "every": 0.25}

        def curve(p):
            return model.run(set={"k": p[0], "c": p[1], "angle": p[2]}, **options).at(times, "angle")

        return curve
    model = situ.load(f"benches/tables/{workload.lower()}.ron")
    stop = STOP[workload]

    def run():
        run = model.run(events=True, rtol=TOLERANCE, atol=TOLERANCE, every=stop)
        names = "xyuv" if workload == "H3" else EXACT[workload]
        return {name: float(run[name][-1]) for name in names}

    return run


def with_scipy(workload):
    import numpy
    from scipy.integrate import solve_ivp

    if workload == "fit":
        times = numpy.array(FIT_TIMES)

        def curve(p):
            rates = lambda t, y: [y[1], -p[0] * math.sin(y[0]) - p[1] * y[1]]
            return solve_ivp(rates, (0, 10), [p[2], 0.0], "DOP853", times, rtol=TOLERANCE, atol=TOLERANCE).y[0]

        return curve
    rates, margins, reset, start, names, n_guards = problem(workload, lambda function: function)
    longest = 0.1 if workload == "H3" else numpy.inf
    out = numpy.empty(n_guards)

    def run():
        t, y, mode, first, stop = 0.0, start, 0, None, STOP[workload]
        while t < stop:
            events = []
            for guard in range(n_guards):

                def event(t, y, guard=guard):
                    margins(y, mode, out)
                    return out[guard]

                event.terminal, event.direction = True, -1
                events.append(event)
            solved = solve_ivp(
                lambda t, y: rates(y, mode, None),
                (t, stop),
                y,
                "DOP853",
                rtol=TOLERANCE,
                atol=TOLERANCE,
                events=events or None,
                max_step=longest,
                first_step=first,
            )
            t, y = solved.t[-1], solved.y[:, -1]
            if solved.status != 1:
                break
            guard = min((at[0], k) for k, at in enumerate(solved.t_events) if len(at))[1]
            y, mode = reset(guard, y, mode)
            # Else its first steps are chosen too long to see the guard leave 0.
            first = min(1e-5, stop - t)
        return dict(zip(names, map(float, y)))

    return run


ANTIMONY = {
    "H1": f"h = 10; v = 0; h' = v; v' = -{G}; E: at h < 0: h = 0, v = -0.8 * v;",
    "H3": f"x = 1; y = 2; u = 3; v = 0; x' = u; y' = v; v' = -{G};"
    + f" E0: at y < {SLOPE!r} * x: y = {SLOPE!r} * x, u = {math.cos(math.radians(20))!r} * u + {math.sin(math.radians(20))!r} * v,"
    + f" v = {math.sin(math.radians(20))!r} * u - {math.cos(math.radians(20))!r} * v;"
    + " E1: at x < 0: x = 0, u = -u; E2: at x > 4: x = 4, u = -u; E3: at y > 2.2: y = 2.2, v = -v;",
    "H4": f"angle = {math.radians(75)!r}; rate = 0; angle' = rate; rate' = -{G} * sin(angle);",
    "fit": "k = 6; c = 0.1; angle = 1; rate = 0; angle' = rate; rate' = -k * sin(angle) - c * rate;",
}


def with_tellurium(workload):
    import tellurium

    model = tellurium.loada(f"model m\n {ANTIMONY[workload]}\nend")
    model.integrator.relative_tolerance = model.integrator.absolute_tolerance = TOLERANCE
    model.integrator.setValue("maximum_num_steps", 10**7)
    if workload == "H3":
        model.integrator.setValue("maximum_time_step", 0.1)
    if workload == "fit":
        model.selections = ["angle"]

        def curve(p):
            model.resetAll()
            model["k"], model["c"], model["angle"] = p
            return model.simulate(0, 10, 41)[1:, 0]

        return curve
    names = {"H1": ["h", "v"], "H3": list("xyuv"), "H4": ["angle", "rate"]}[workload]
    model.selections = names

    def run():
        model.resetAll()
        return dict(zip(names, map(float, model.simulate(0, STOP[workload], 2)[-1])))

    return run


def with_basico(workload):
    import antimony
    import basico

    antimony.loadAntimonyString(f"model m\n {ANTIMONY[workload]}\nend")
    basico.load_model_from_string(antimony.getSBMLString("m"))
    settings = {"r_tol": TOLERANCE, "a_tol": TOLERANCE, "max_steps": 10**7, "update_model": False, "use_initial_values": True}

    def value(frame, name):
        return frame[name if name in frame else f"Values[{name}]"]

    if workload == "fit":

        def curve(p):
            for name, given in zip(("k", "c", "angle"), p):
                basico.set_parameters(name, initial_value=given, exact=True)
            frame = basico.run_time_course(start_time=0, duration=10, intervals=40, **settings)
            return value(frame, "angle").to_numpy()[1:]

        return curve
    names = {"H1": ["h", "v"], "H3": list("xyuv"), "H4": ["angle", "rate"]}[workload]

    def run():
        last = basico.run_time_course(start_time=0, duration=STOP[workload], intervals=1, **settings).iloc[-1]
        return {name: float(value(last, name)) for name in names}

    return run


def with_diffrax(workload):
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    import diffrax
    import numpy

    def solve(rates, stop, y, **more):
        control = diffrax.PIDController(rtol=TOLERANCE, atol=TOLERANCE, **more.pop("control", {}))
        term = diffrax.ODETerm(lambda t, y, args: rates(y))
        more = {"max_steps": 10**6, "adjoint": diffrax.ForwardMode(), "stepsize_controller": control, **more}
        return diffrax.diffeqsolve(term, diffrax.Dopri8(), more.pop("begin", 0.0), stop, more.pop("first", None), y, **more)

    if workload == "fit":
        times = jnp.array(FIT_TIMES)

        @jax.jit
        def angle(p):
            rates = lambda y: jnp.stack([y[1], -p[0] * jnp.sin(y[0]) - p[1] * y[1]])
            start = jnp.stack([p[2], jnp.zeros(())])
            return solve(rates, 10.0, start, saveat=diffrax.SaveAt(ts=times)).ys[:, 0]

        return lambda p: numpy.array(angle(jnp.array(p)))
    if workload == "H4":
        pendulum = jax.jit(lambda y: solve(lambda y: jnp.stack([y[1], -G * jnp.sin(y[0])]), STOP["H4"], y).ys[-1])

        def run():
            return dict(zip(("angle", "rate"), map(float, pendulum(jnp.array([math.radians(75), 0.0])))))

        return run
    import optimistix

    event = diffrax.Event(lambda t, y, args, **more: y[0], optimistix.Newton(1e-12, 1e-12), direction=False)

    @jax.jit
    def ball(y):
        def bounce(carry):
            t, y, n = carry
            rates = lambda y: jnp.stack([y[1], jnp.full((), -G)])
            solved = solve(rates, STOP["H1"], y, begin=t, event=event, control={"dtmax": 0.05}, max_steps=1000)
            hit, y = solved.event_mask, solved.ys[-1]
            # A start of exactly 0 is an event at once.
            return solved.ts[-1], jnp.where(hit, jnp.stack([1e-15, -0.8 * y[1]]), y), n + hit

        return jax.lax.while_loop(lambda carry: (carry[0] < STOP["H1"]) & (carry[2] < 100), bounce, (0.0, y, 0))

    return lambda: dict(zip("hv", map(float, ball(jnp.array([10.0, 0.0]))[1])))


def with_numba(workload):
    """The method of Dormand and Prince of order 5 with its dense output and bisection, as one writes it by hand."""
    import numba
    import numpy

    jit = numba.njit(error_model="numpy")
    rates, margins, reset, start, names, n_guards = problem(workload, jit)
    a21, a31, a32 = 1 / 5, 3 / 40, 9 / 40
    a41, a42, a43 = 44 / 45, -56 / 15, 32 / 9
    a51, a52, a53, a54 = 19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729
    a61, a62, a63, a64, a65 = 9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656
    b1, b3, b4, b5, b6 = 35 / 384, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84
    e1, e3, e4, e5, e6, e7 = 71 / 57600, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40
    d1, d3, d4 = -12715105075 / 11282082432, 87487479700 / 32700410799, -10690763975 / 1880347072
    d5, d6, d7 = 701980252875 / 199316789632, -1453857185 / 822651844, 69997945 / 29380423

    @jit
    def dense(theta, y, y_new, h, k1, k3, k4, k5, k6, k7):
        difference = y_new - y
        by_start = h * k1 - difference
        by_end = difference - h * k7 - by_start
        last = h * (d1 * k1 + d3 * k3 + d4 * k4 + d5 * k5 + d6 * k6 + d7 * k7)
        rest = 1 - theta
        return y + theta * (difference + rest * (by_start + theta * (by_end + rest * last)))

    @jit
    def integrate(y, p, times, out, tolerance):
        t, mode, h, saved, stop = 0.0, 0, 1e-3, 0, times[-1]
        before, after = numpy.empty(n_guards), numpy.empty(n_guards)
        k1 = rates(y, mode, p)
        margins(y, mode, before)
        while t < stop:
            h = min(h, stop - t)
            k2 = rates(y + h * a21 * k1, mode, p)
            k3 = rates(y + h * (a31 * k1 + a32 * k2), mode, p)
            k4 = rates(y + h * (a41 * k1 + a42 * k2 + a43 * k3), mode, p)
            k5 = rates(y + h * (a51 * k1 + a52 * k2 + a53 * k3 + a54 * k4), mode, p)
            k6 = rates(y + h * (a61 * k1 + a62 * k2 + a63 * k3 + a64 * k4 + a65 * k5), mode, p)
            y_new = y + h * (b1 * k1 + b3 * k3 + b4 * k4 + b5 * k5 + b6 * k6)
            k7 = rates(y_new, mode, p)
            wrong = h * (e1 * k1 + e3 * k3 + e4 * k4 + e5 * k5 + e6 * k6 + e7 * k7)
            scale = tolerance + tolerance * numpy.maximum(numpy.abs(y), numpy.abs(y_new))
            error = numpy.sqrt(numpy.mean((wrong / scale) ** 2))
            factor = min(5.0, max(0.2, 0.9 * max(error, 1e-10) ** -0.2))
            if error > 1:
                h *= factor
                continue
            margins(y_new, mode, after)
            theta, fired = 2.0, -1
            for guard in range(n_guards):
                if before[guard] >= 0 > after[guard]:
                    low, high = 0.0, 1.0
                    for _ in range(52):
                        middle = 0.5 * (low + high)
                        margins(dense(middle, y, y_new, h, k1, k3, k4, k5, k6, k7), mode, after)
                        if after[guard] < 0:
                            high = middle
                        else:
                            low = middle
                    margins(y_new, mode, after)
                    if high < theta:
                        theta, fired = high, guard
            end = t + (theta if fired >= 0 else 1.0) * h
            while saved < len(times) and times[saved] <= end:
                share = 1.0 if times[saved] == stop else (times[saved] - t) / h
                out[saved] = dense(min(share, 1.0), y, y_new, h, k1, k3, k4, k5, k6, k7)
                saved += 1
            if fired >= 0:
                y = dense(theta, y, y_new, h, k1, k3, k4, k5, k6, k7)
                t = end
                y, mode = reset(fired, y, mode)
                k1 = rates(y, mode, p)
                margins(y, mode, before)
                h = min(h, 1e-2)
            else:
                t = stop if h >= stop - t else end
                y, k1 = y_new, k7
                before[:] = after
                h *= factor
        out[-1] = y

    if workload == "fit":
        times, out = numpy.array(FIT_TIMES), numpy.empty((len(FIT_TIMES), 2))

        def curve(p):
            integrate(numpy.array([p[2], 0.0]), numpy.array(p[:2]), times, out, TOLERANCE)
            return out[:, 0].copy()

        return curve
    times, out = numpy.array([STOP[workload]]), numpy.empty((1, len(names)))

    def run():
        integrate(numpy.array(start), numpy.zeros(2), times, out, TOLERANCE)
        return dict(zip(names, map(float, out[-1])))

    return run


def problem(workload, jit):
    """A workload for those that are given functions, each made by `jit`.

    `rates(y, mode, p)`, `margins(y, mode, out)` that become negative at events, `reset(margin, y, mode)` to (y, mode), the
    start, the names and the number of margins.
    """
    import numpy

    sin, array = math.sin, numpy.array

    @jit
    def no_margins(y, mode, out):
        pass

    @jit
    def no_reset(guard, y, mode):
        return y, mode

    if workload == "fit":

        @jit
        def rates(y, mode, p):
            return array([y[1], -p[0] * sin(y[0]) - p[1] * y[1]])

        return rates, no_margins, no_reset, None, None, 0
    if workload == "H4":

        @jit
        def rates(y, mode, p):
            return array([y[1], -G * sin(y[0])])

        return rates, no_margins, no_reset, [math.radians(75), 0.0], ["angle", "rate"], 0
    if workload == "H1":

        @jit
        def rates(y, mode, p):
            return array([y[1], -G])

        @jit
        def margins(y, mode, out):
            out[0] = y[0]

        @jit
        def reset(guard, y, mode):
            return array([0.0, -0.8 * y[1]]), mode

        return rates, margins, reset, [10.0, 0.0], ["h", "v"], 1
    if workload == "H2":

        @jit
        def rates(y, mode, p):
            if mode == 3:
                return array([0.0, 0.0])
            stiffness = 0.0 if mode == 0 else 80e3 if mode == 1 else 49e3
            return array([y[1], (stiffness * (30 - y[0]) - 981e3) / 1000])

        @jit
        def margins(y, mode, out):
            out[0] = y[0] - 30 if mode == 0 else 30 - y[0] if mode == 2 else 1.0
            out[1] = -y[1] if mode == 1 else y[1] if mode == 2 else 1.0

        @jit
        def reset(guard, y, mode):
            if guard == 0:
                return array([30.0, y[1]]), 1 if mode == 0 else 0
            depth = 30 - y[0]
            if 49e3 * depth > 981e3:
                return array([y[0], 0.0]), 2
            return array([y[0], 0.0]), 1 if 80e3 * depth < 981e3 else 3

        return rates, margins, reset, [400.0, 0.0], ["h", "v"], 2
    if workload == "H3":

        @jit
        def rates(y, mode, p):
            return array([y[2], y[3], 0.0, -G])

        @jit
        def margins(y, mode, out):
            out[0], out[1], out[2], out[3] = y[1] - SLOPE * y[0], y[0], 4 - y[0], 2.2 - y[1]

        @jit
        def reset(guard, y, mode):
            x, z, u, v = y
            if guard == 0:
                into = u * NORMAL[0] + v * NORMAL[1]
                return array([x, SLOPE * x, u - 2 * into * NORMAL[0], v - 2 * into * NORMAL[1]]), mode
            if guard == 3:
                return array([x, 2.2, u, -v]), mode
            return array([0.0 if guard == 1 else 4.0, z, -u, v]), mode

        return rates, margins, reset, [1.0, 2.0, 3.0, 0.0], list("xyuv"), 4

    @jit
    def rates(y, mode, p):
        f1, f2 = 1 - y[0], 2 * (2 - y[2])
        if mode == 1:
            f1 = f2 = (f1 + f2) / 2
        return array([y[1], f1, y[3], f2, -y[4]])

    @jit
    def margins(y, mode, out):
        out[0] = y[4] - (2 * (2 - y[2]) - (1 - y[0])) if mode == 1 else y[2] - y[0]

    @jit
    def reset(guard, y, mode):
        if mode == 1:
            return y, 0
        place, speed = (y[0] + y[2]) / 2, (y[1] + y[3]) / 2
        return array([place, speed, place, speed, 10.0]), 1

    return rates, margins, reset, [0.0, 0.0, 3.0, 0.0, 0.0], ["p1", "v1", "p2", "v2", "s"], 1


WORKLOADS = ["H1", "H2", "H3", "H4", "H5", "fit"]
# Those which a library can be given: hybrid systems with modes have no place in SBML, in diffrax a mode is a program of its own.
LIBRARIES = {
    "situ": (with_situ, WORKLOADS),
    "numba": (with_numba, WORKLOADS),
    "scipy": (with_scipy, WORKLOADS),
    "tellurium": (with_tellurium, ["H1", "H3", "H4", "fit"]),
    "basico": (with_basico, ["H1", "H3", "H4", "fit"]),
    "diffrax": (with_diffrax, ["H1", "H4", "fit"]),
}


def measure(library, workload, begun):
    """Prints seconds to the first result, seconds per run, and the error."""
    make, _ = LIBRARIES[library]
    model = make(workload)
    if workload == "fit":
        import numpy
        from scipy.optimize import least_squares

        exact = numpy.array(exact_fit())

        def work():
            return least_squares(lambda p: model(p) - exact, GUESS, xtol=1e-12, ftol=1e-12, gtol=1e-12).x

        judge = lambda found: max(abs(a - b) for a, b in zip(found, TRUE))
    else:
        work, judge = model, lambda found: wrong(workload, found)
    found = work()
    first = time.time() - begun
    times = []
    while len(times) < 5 or sum(times) < 1 and len(times) < 2000:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
        if sum(times) > 30:
            break
    print(json.dumps([first, sorted(times)[len(times) // 2], judge(found)]))


def exact_fit():
    """The points that are fitted: classical Runge-Kutta steps of 1/4000, good to 13 digits."""
    k, c, angle = TRUE
    y, points, n = [angle, 0.0], [], 1000
    h = 0.25 / n
    rates = lambda y: [y[1], -k * math.sin(y[0]) - c * y[1]]
    for _ in FIT_TIMES:
        for _ in range(n):
            k1 = rates(y)
            k2 = rates([a + h / 2 * b for a, b in zip(y, k1)])
            k3 = rates([a + h / 2 * b for a, b in zip(y, k2)])
            k4 = rates([a + h * b for a, b in zip(y, k3)])
            y = [a + h / 6 * (b + 2 * c + 2 * d + e) for a, b, c, d, e in zip(y, k1, k2, k3, k4)]
        points.append(y[0])
    return points


def main():
    asked = sys.argv[1:]
    if asked[:1] == ["--one"]:
        return measure(asked[1], asked[2], float(os.environ["BEGUN"]))
    workloads = [name for name in WORKLOADS if name in asked] or WORKLOADS
    libraries = [name for name in LIBRARIES if name in asked] or list(LIBRARIES)
    print("| workload | library | first result, s | per run, ms | times situ | error |")
    print("| --- | --- | --- | --- | --- | --- |")
    for workload in workloads:
        ours = None
        for library in libraries:
            if workload not in LIBRARIES[library][1]:
                continue
            command = [sys.executable, __file__, "--one", library, workload]
            environment = dict(os.environ, BEGUN=repr(time.time()))
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            if done.returncode:
                reason = (done.stderr.strip().splitlines() or ["?"])[-1]
                print(f"| {workload} | {library} | - | - | - | {reason} |", flush=True)
                continue
            first, each, error = json.loads(done.stdout.splitlines()[-1])
            ours = each if library == "situ" else ours
            ratio = f"{each / ours:.3g}" if ours else "-"
            print(f"| {workload} | {library} | {first:.2f} | {each * 1e3:.3g} | {ratio} | {error:.1e} |", flush=True)


if __name__ == "__main__":
    main()
