#!/usr/bin/env python3
"""Other programs on the workloads D: equations that are solved, and delays. A JSON line per result on standard output.

  run.py [RIVAL...]     ida casadi diffsol scipy jitcdde (default: all that are installed; the others are named and skipped)

`setup.sh` installs them. Errors are held against `benches/tables/implicit/ends.json`; times are processor time, median of five,
without compilation.
"""
import importlib.util, json, os, re, shutil, statistics, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
ENDS = json.load(open(os.path.join(HERE, "../tables/implicit/ends.json")))
TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10)
FLOOR = dict(ROBER_DAE=1e-16, MACKEY_GLASS=1e-16, WHELDON=1e-16)


def error(model, values):
    """Largest relative error, absolute below the floor; values in the order of the file."""
    floor, known = FLOOR.get(model, 1.0), ENDS[model]["end"].values()
    assert len(values) == len(known)
    return max(abs(v - k) / (abs(k) + floor) for v, k in zip(values, known))


def emit(model, peer, tol, value, values, notes):
    err = error(model, [float(v) for v in values])
    print(json.dumps(dict(workload="D", model=model, peer=peer, tol=tol, value=value, unit="s", err=err, notes=notes)), flush=True)


def measure(model, peer, tol, notes, run):
    """Median of five of a run that returns its end values; a run that fails is named."""
    def timed(times):
        begin = time.process_time()
        for _ in range(times):
            end = run()
        return (time.process_time() - begin) / times, end
    try:
        first, end = timed(1)
        repeats = max(1, int(0.02 / max(first, 1e-6)))
        times = [timed(repeats)[0] for _ in range(5 if first < 5 else 1)]
        emit(model, peer, tol, statistics.median(times), end, notes)
    except Exception as fault:
        say(f"{peer} {model} {tol:g}: {str(fault).strip().splitlines()[-1][:150]}")


def say(text):
    print("#", text, file=sys.stderr, flush=True)


# ---- SUNDIALS IDA, in C ----
def ida():
    own = os.environ.get("SITU_SUNDIALS", os.path.join(sys.prefix, "sundials"))
    parts = "ida nvecserial sunlinsoldense sunlinsolklu sunlinsolband sunmatrixdense sunmatrixband sunmatrixsparse sunnonlinsolnewton generic"
    libs, flags = ["-lsundials_" + part for part in parts.split()], ["-isystem", "/usr/include/suitesparse"]
    if os.path.isdir(own):
        flags += ["-I", own + "/include", "-L", own + "/lib"]
    else:
        say("IDA as it is packaged, which is slower than one built at -O3 (setup.sh)")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "ida")
        build = ["gcc", "-O3", "-march=native", *flags, os.path.join(HERE, "ida.c"), "-o", program]
        if subprocess.run([*build, "-Wl,--start-group", *libs, "-Wl,--end-group", "-lklu", "-lm"]).returncode:
            return say("IDA: not built")
        for model in ("ROBER_DAE", "PEND1", "AMPLIFIER", "DIODES10", "DIODES20", "DIODES"):
            peer = "IDA KLU" if model.startswith("DIODES") else "IDA dense"
            tolerances = [tol for tol in TOLERANCES if model != "DIODES" or tol > 3e-8]
            lines = subprocess.run([program, model, *map(str, tolerances)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
            for line in lines.splitlines():
                tol, *rest = line.split()
                if rest == ["failed"]:
                    say(f"{peer} {model} {tol}: failed")
                    continue
                value, steps, residuals, jacobians, setups, start = rest[:6]
                notes = f"{steps} steps {residuals} residuals {setups} factorisations, exact Jacobian"
                if peer == "IDA KLU":
                    notes += f", of the time {float(start):.3g} s for the start"
                emit(model, peer, float(tol), float(value), rest[6:], notes)


# ---- the equations as text: states with their rates, what is found with what vanishes ----
# With the voltages of the capacitors as states, as these programs have no full matrix of rates.
AMPLIFIER = dict(
    end=0.2, atol=1.0,
    states=dict(d1=-3, d2=3, d3=3, d4=3, d5=6), found=dict(U1=0, U2=3, U3=3, U4=6, U5=3, U6=3, U7=6, U8=0),
    rates=["-1e3 * (U1 - E)", "5e5 * (A - U3 / 9000)", "1e6 / 3 * ((6 - U4) / 9000 - 0.99 * A)", "2.5e5 * (B - U6 / 9000)",
           "2e5 * ((6 - U7) / 9000 - 0.99 * B)"],
    zero=["d1 - (U1 - U2)", "d2 - U3", "d3 - (U4 - U5)", "d4 - U6", "d5 - (U7 - U8)",
          "9 * (U1 - E) + 2 * U2 - 6 + 90 * A", "U4 - 6 + 8910 * A + 2 * U5 - 6 + 90 * B", "U7 - 6 + 8910 * B + U8"],
    named=dict(E="0.1 * sin(628.3185307179586 * t)", A="1e-6 * (exp((U2 - U3) / 0.026) - 1)", B="1e-6 * (exp((U5 - U6) / 0.026) - 1)"))
ROBER = dict(
    end=4e5, atol=1e-8, states=dict(y1=1, y2=0), found=dict(y3=0), rates=["-0.04 * y1 + 1e4 * y2 * y3", "0.04 * y1 - 1e4 * y2 * y3 - 3e7 * y2 * y2"],
    zero=["y1 + y2 + y3 - 1"], named={})
PENDULUM = dict(
    end=10.0, atol=1.0, states=dict(x=1, y=0, vx=0, vy=0), found=dict(lam=0), rates=["vx", "vy", "-lam * x", "-lam * y - 9.81"],
    zero=["vx * vx + vy * vy - lam * (x * x + y * y) - 9.81 * y"], named={})
EQUATIONS = dict(ROBER_DAE=ROBER, PEND1=PENDULUM, AMPLIFIER=AMPLIFIER)


def written_out(model):
    """Rates and what vanishes, without names for parts."""
    def full(text):
        for name, part in model["named"].items():
            text = re.sub(rf"\b{name}\b", f"({part})", text)
        return text
    return [full(text) for text in model["rates"]], [full(text) for text in model["zero"]]


def shown(name, model, values):
    """The end values in the order of the file."""
    by_name = dict(zip([*model["states"], *model["found"]], values))
    return [by_name[key] for key in ENDS[name]["end"]]


def casadi():
    import casadi as ca, numpy as np
    for name, model in EQUATIONS.items():
        known = {key: ca.SX.sym(key) for key in (*model["states"], *model["found"], "t")}
        scope = dict(known, exp=ca.exp, sin=ca.sin)
        rates, zero = ([eval(text, {}, scope) for text in texts] for texts in written_out(model))
        column = lambda keys: ca.vertcat(*(known[key] for key in keys))
        dae = dict(x=column(model["states"]), z=column(model["found"]), t=known["t"], ode=ca.vertcat(*rates), alg=ca.vertcat(*zero))
        for tol in TOLERANCES:
            solver = ca.integrator("F", "idas", dae, 0, model["end"], dict(reltol=tol, abstol=tol * model["atol"], max_num_steps=10**6))

            def run():
                end = solver(x0=list(model["states"].values()), z0=list(model["found"].values()))
                return shown(name, model, np.concatenate([np.array(end[key]).ravel() for key in ("xf", "zf")]))
            measure(name, "casadi IDAS", tol, "exact sparse Jacobian, virtual machine", run)


def diffsol():
    import numpy as np, pydiffsol as ds
    for name, model in EQUATIONS.items():
        rates, zero = written_out(model)
        reals = {**model["states"], **model["found"]}
        block = lambda head, lines: head + " {\n" + "".join(f"  {line},\n" for line in lines) + "}\n"
        code = (block("u_i", [f"{key} = {float(value)!r}" for key, value in reals.items()])
                + block("dudt_i", [f"d{key} = 0" for key in reals])
                + block("M_i", [f"d{key}" for key in model["states"]] + ["0"] * len(zero))
                + block("F_i", rates + zero))
        for kind in ("bdf", "esdirk34", "tr_bdf2"):
            for tol in TOLERANCES:
                try:
                    ode = ds.Ode(code, matrix_type=ds.nalgebra_dense, ode_solver=getattr(ds, kind))
                    ode.rtol, ode.atol = tol, tol * model["atol"]
                    notes = "mass matrix; Rust, LLVM JIT of DiffSL"
                    if name == "AMPLIFIER":  # It fails at most tolerances otherwise.
                        options = ode.options
                        options.max_nonlinear_solver_iterations, options.max_error_test_failures = 50, 1000
                        options.update_jacobian_after_steps = options.update_rhs_jacobian_after_steps = 1
                        options.threshold_to_update_jacobian = 0.1
                        notes += "; a Jacobian in each step"
                except Exception as fault:
                    say(f"diffsol {kind} {name}: {fault}")
                    break
                run = lambda: shown(name, model, np.asarray(ode.solve_dense(np.array([]), np.array([model["end"]])).ys)[:, -1])
                measure(name, f"diffsol {kind}", tol, notes, run)


def scipy():
    from scipy.integrate import solve_ivp

    def rober(t, y):
        slow, fast = 0.04 * y[0] - 1e4 * y[1] * y[2], 3e7 * y[1] * y[1]
        return -slow, slow - fast, fast

    def force(y):
        return (y[2] * y[2] + y[3] * y[3] - 9.81 * y[1]) / (y[0] * y[0] + y[1] * y[1])

    def pendulum(t, y):
        lam = force(y)
        return y[2], y[3], -lam * y[0], -lam * y[1] - 9.81
    for name, rates, start, end, atol, methods in (("ROBER_DAE", rober, (1, 0, 0), 4e5, 1e-8, ("LSODA", "Radau")), ("PEND1", pendulum, (1, 0, 0, 0), 10.0, 1.0, ("LSODA", "DOP853"))):
        for method in methods:
            for tol in TOLERANCES:
                def run():
                    y = solve_ivp(rates, (0, end), start, method, rtol=tol, atol=tol * atol, t_eval=[end]).y[:, -1]
                    return [*y, force(y)] if name == "PEND1" else y
                measure(name, f"scipy {method}", tol, "by hand as an ODE, rates in Python", run)


def jitcdde():
    from jitcdde import jitcdde as Jit, t, y
    from symengine import sqrt
    late = y(0, t - 17)
    mackey = [0.2 * late / (1 + late**10) - 0.1 * y(0)], 17, [1.2], 510
    late, out = y(0, t - 20), 10 * y(0) / (1 + 40 * y(1))
    wheldon = [1.1 / (1 + sqrt(10) * late**1.25) - out, 10 * out - 2.43 * y(1)], 20, [0.35255675666666666, 0.34357116366666666], 100
    for name, (rates, delay, start, end) in dict(MACKEY_GLASS=mackey, WHELDON=wheldon).items():
        begin = time.perf_counter()
        dde = Jit(rates, max_delay=delay, verbose=False)
        dde.compile_C()
        compiled = time.perf_counter() - begin
        for tol in TOLERANCES:
            def run():
                dde.purge_past()
                dde.constant_past(start)
                dde.set_integration_parameters(rtol=tol, atol=tol, first_step=1e-3, max_step=10.0)
                dde.step_on_discontinuities()
                return dde.integrate(end)
            measure(name, "JiTCDDE", tol, f"compiled before, {compiled:.1f} s on the wall", run)


RIVALS = dict(ida=ida, casadi=casadi, diffsol=diffsol, scipy=scipy, jitcdde=jitcdde)


def main():
    asked = sys.argv[1:]
    for name in asked:
        if name not in RIVALS:
            return say(f"{name} is no rival; there are {' '.join(RIVALS)}")
    for name in asked or RIVALS:
        module = dict(diffsol="pydiffsol", ida=None).get(name, name)
        missing = not shutil.which("gcc") if name == "ida" else importlib.util.find_spec(module) is None
        if missing:
            say(f"{name} is not installed, skipped")
        elif asked:
            RIVALS[name]()
        else:  # A process each: not all of these libraries go together.
            subprocess.run([sys.executable, __file__, name])


if __name__ == "__main__":
    main()
