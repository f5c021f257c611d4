"""Makes the reference trajectories of the scenarios, independently of situ.

    python3 scenarios/reference.py            compares with tests/data, then writes
                                              scenarios/NAME/reference/CASE.csv
    python3 scenarios/reference.py --check    compares with tests/data and with the files

Needs Python 3 and nothing else. The tables of the paper are transcribed once more, row by row, and
run by a direct reading of the rules of a tick (`Table.tick`); no table file of situ is read. A file
holds some rows of a run (the step stands in its head), all reals and booleans. A boolean stands as
its tick found it; an event is 1 if it fired since the row before. Values are rounded to 12 digits;
who compares should allow the tolerance in the head, relative plus that part of the largest value
of the column.

The other scenarios are run in exact time (`Exact`): each is written down as rates, guards and jumps,
and integrated with events located by halving. Files of such runs say `stepping events`; where a tick
run comes near, the head says with which tick and how near. Their events are compared with
tests/data/exact/.
"""

import json
import math
import sys
from pathlib import Path

HERE = Path(__file__).parent
TICKS = HERE.parent / "tests" / "data" / "tick.json"
TOLERANCE = 1e-8
ALWAYS = ()

# --- one tick, by the book ------------------------------------------------------------------------


def sign(x):
    return float((x > 0) - (x < 0))


VALUES = {
    "sum": lambda c, a, d, b: c * a + d * b,
    "product": lambda c, a, d, b: (c * a) * b,
    "quotient": lambda c, a, d, b: (c * a) / b,
    "proportional": lambda c, a, d, b: c * a,
    "sine": lambda c, a, d, b: c * math.sin(math.radians(a)),
    "cosine": lambda c, a, d, b: c * math.cos(math.radians(a)),
    "abs": lambda c, a, d, b: c * abs(a),
    "sign": lambda c, a, d, b: c * sign(a),
}

COMPARE = {"<": lambda a, b: a < b, ">": lambda a, b: a > b}


class Table:
    """The paper's lists. A relation is (number, variable, procedure, coefficient, argument 1,
    argument 2 or None, literals of the situation, second coefficient)."""

    def __init__(self, parameters, starts, ranges=(), situations=(), relations=()):
        self.parameters = dict(parameters)
        self.starts = dict(starts)
        self.ranges = list(ranges)
        self.situations = list(situations)
        self.relations = list(relations)

    def extended(self, parameters=(), starts=(), ranges=(), situations=(), relations=(),
                 replace=(), drop=(), after=()):
        """The table with more: `replace` relations by number, insert those of `after` behind one,
        append the rest."""
        relations_now = []
        replace = {row[0]: row for row in replace}
        for row in self.relations:
            if row[0] not in drop:
                relations_now.append(replace.pop(row[0], row))
            for number, new in after:
                if number == row[0]:
                    relations_now += new
        assert not replace
        return Table({**self.parameters, **dict(parameters)}, {**self.starts, **dict(starts)},
                     self.ranges + list(ranges), self.situations + list(situations),
                     relations_now + list(relations))

    def start(self, changes):
        """The state before the first tick. A value is a number or a function of the state."""
        x = {}
        for name, value in {**self.parameters, **self.starts, **changes}.items():
            x[name] = value
        known = set()
        while len(known) < len(x):
            before = len(known)
            for name, value in x.items():
                if name in known:
                    continue
                if callable(value):
                    try:
                        value = value({key: x[key] for key in known})
                    except KeyError:
                        continue
                x[name] = float(value)
                known.add(name)
            assert len(known) > before, "start values go round in a circle"
        return x

    def booleans(self, x, held):
        """Ranges, rows of situations, situations. `held`: the rows that held before."""
        value = lambda term: x[term] if isinstance(term, str) else term
        w = {name: COMPARE[op](value(left), value(right)) for name, left, op, right in self.ranges}
        rows = []
        for name, literals, _ in self.situations:
            w[name] = False
        for index, (name, literals, event) in enumerate(self.situations):
            holds = holds_all(w, literals)
            rows.append(holds)
            if holds and not (event and held[index]):
                w[name] = True
        return w, rows

    def run(self, changes, dt, ticks, integral="rectangle", on=True):
        """Yields (tick, reals, booleans, rows of situations that hold) from the start on."""
        x = self.start(changes)
        w, rows = self.booleans(x, [True] * len(self.situations))
        w["On"] = on
        yield 0, x, w, rows
        for tick in range(1, ticks + 1):
            previous = dict(x)
            w, rows = self.booleans(x, rows)
            w["On"] = on
            for row in self.relations:
                self.relation(row, x, w, previous, dt, integral)
            yield tick, x, w, rows

    def relation(self, row, x, w, previous, dt, integral):
        _, variable, procedure, coef, first, second, when, coef2 = row
        if not holds_all(w, when):
            return
        c, d = (coefficient(value, x) for value in (coef, coef2))
        if procedure == "integral":
            rate = x[first]
            if integral == "trapezoid":
                rate = (previous[first] + rate) / 2
            x[variable] += (c * rate) * dt
        else:
            b = x[second] if second else None
            x[variable] = VALUES[procedure](c, x[first], d, b)


def coefficient(value, x):
    if not isinstance(value, str):
        return value
    return -x[value[1:]] if value.startswith("-") else x[value]


def holds_all(w, literals):
    return all(not w[name[1:]] if name.startswith("!") else w[name] for name in literals)


def row(number, variable, procedure, coef, first, second=None, when=ALWAYS, coef2=1.0):
    return number, variable, procedure, coef, first, second, when, coef2


# --- the tables of the paper ----------------------------------------------------------------------

DEG = 180 / math.pi
RAD = math.pi / 180

HOOP = Table(
    {"m": 1, "R": 30, "g": 981, "K_braking": 8000, "K_acceleration": 4900},
    {"P": 0, "Fel": 0, "Fres": 0, "Ay": 0, "Vy": 0, "h": 400, "def": lambda x: x["R"] - x["h"]},
    [("contact", "h", "<", "R"), ("V_neg", "Vy", "<", 0.0), ("V_pos", "Vy", ">", 0.0)],
    [("braking", ("contact", "V_neg"), False), ("accelerating", ("contact", "V_pos"), False),
     ("free_fall", ("!contact",), False)],
    [
        row("1", "P", "product", -1.0, "m", "g"),
        row("2", "Fel", "proportional", "K_braking", "def", when=("braking",)),
        row("3", "Fel", "proportional", "K_acceleration", "def", when=("accelerating",)),
        row("3a", "Fel", "proportional", 0.0, "def", when=("free_fall",)),
        row("4", "Fres", "sum", 1.0, "Fel", "P"),
        row("5", "Ay", "quotient", 1.0, "Fres", "m"),
        row("6", "Vy", "integral", 1.0, "Ay"),
        row("7", "h", "integral", 1.0, "Vy"),
        row("8", "def", "sum", 1.0, "R", "h", coef2=-1.0),
    ],
)

HOOP_AS_PRINTED = HOOP.extended(drop=["3a"])

HOOP_DRAG = HOOP.extended(
    {"kc": 0.1},
    {"Fdrag": 0},
    after=[("1", [
        row("9", "Fdrag", "proportional", "-kc", "Vy", when=("!contact",)),
        row("10", "P", "sum", 1.0, "P", "Fdrag"),
    ])],
)

HOOP_DRAG_IN_FLIGHT = HOOP_DRAG.extended(
    after=[("9", [row("9a", "Fdrag", "proportional", 0.0, "Vy", when=("contact",))])],
)

HOOP_ROTATION = HOOP.extended(
    {"mu": 0.5, "I": lambda x: x["m"] * x["R"] ** 2},
    {"omR": lambda x: x["om"] * x["R"], "Vrim": lambda x: x["Vx"] - x["omR"], "sgn": 0, "absV": 0,
     "Ftr": 0, "Ax": 0, "Vx": 300, "X": 0, "M": 0, "eps": 0, "om": 0, "ang": 0},
    [("slip", "absV", ">", 0.0)],
    [("sliding", ("contact", "slip"), False)],
    [
        row("9", "omR", "product", 1.0, "om", "R"),
        row("10", "Vrim", "sum", 1.0, "Vx", "omR", coef2=-1.0),
        row("11", "sgn", "sign", 1.0, "Vrim", when=("contact",)),
        row("12", "absV", "abs", 1.0, "Vrim", when=("contact",)),
        row("13", "Ftr", "product", "-mu", "sgn", "Fel", when=("sliding",)),
        row("13a", "Ftr", "proportional", 0.0, "sgn", when=("free_fall",)),
        row("14", "Ax", "quotient", 1.0, "Ftr", "m"),
        row("15", "Vx", "integral", 1.0, "Ax"),
        row("16", "X", "integral", 1.0, "Vx"),
        row("17", "M", "product", -1.0, "Ftr", "R", when=("contact",)),
        row("18", "eps", "quotient", 1.0, "M", "I", when=("contact",)),
        row("19", "om", "integral", 1.0, "eps", when=("contact",)),
        row("20", "ang", "integral", 1.0, "om"),
    ],
)

PENDULUM = Table(
    {"g": 9.81, "L": 2, "deg": DEG},
    {"sinA": 0, "A": 0, "eps": 0, "om": 0, "ang": 5},
    relations=[
        row("1", "sinA", "sine", 1.0, "ang"),
        row("2", "A", "product", -1.0, "g", "sinA"),
        row("3", "eps", "quotient", "deg", "A", "L"),
        row("4", "om", "integral", 1.0, "eps"),
        row("5", "ang", "integral", 1.0, "om"),
    ],
)

RUSSIAN = {"sinA": "Sin[Угол]", "A": "Ускор.", "eps": "УглУскор", "om": "УглСкор", "ang": "Угол"}

ELASTIC_THREAD_AS_PRINTED = PENDULUM.extended(
    {"m": 1, "c": 0.005, "rad": RAD},
    {"ang": 45, "V": 0, "VV": 0, "VVL": 0, "Fc": 0, "P": 0, "cosA": 0, "PcosA": 0, "Ften": 0,
     "dL": 0, "Lcur": lambda x: x["L"]},
    replace=[row("3", "eps", "quotient", "deg", "A", "Lcur")],
    relations=[
        row("6", "V", "product", "rad", "om", "Lcur"),
        row("7", "VV", "product", 1.0, "V", "V"),
        row("8", "VVL", "quotient", 1.0, "VV", "Lcur"),
        row("9", "Fc", "product", 1.0, "VVL", "m"),
        row("10", "P", "product", 1.0, "g", "m"),
        row("11", "cosA", "cosine", 1.0, "ang"),
        row("12", "PcosA", "product", 1.0, "P", "cosA"),
        row("13", "Ften", "sum", 1.0, "Fc", "PcosA"),
        row("14", "dL", "product", "c", "Ften", "L"),
        row("15", "Lcur", "sum", 1.0, "L", "dL"),
    ],
)

# Length and tension determine each other: L + k (m w^2 Lcur + P cos) = Lcur, solved by hand.
ELASTIC_THREAD = ELASTIC_THREAD_AS_PRINTED.extended(
    {"k": lambda x: x["c"] * x["L"], "one": 1, "w": 0, "ww": 0, "mww": 0, "kmww": 0, "share": 0,
     "kP": 0, "slack": 0},
    drop=[str(number) for number in range(6, 16)],
    relations=[
        row("weight", "P", "product", 1.0, "g", "m"),
        row("cosine", "cosA", "cosine", 1.0, "ang"),
        row("radial", "PcosA", "product", 1.0, "P", "cosA"),
        row("w", "w", "product", 1.0, "rad", "om"),
        row("ww", "ww", "product", 1.0, "w", "w"),
        row("mww", "mww", "product", 1.0, "m", "ww"),
        row("kmww", "kmww", "product", 1.0, "k", "mww"),
        row("share", "share", "sum", 1.0, "one", "kmww", coef2=-1.0),
        row("kP", "kP", "product", 1.0, "k", "PcosA"),
        row("slack", "slack", "sum", 1.0, "L", "kP"),
        row("length", "Lcur", "quotient", 1.0, "slack", "share"),
        row("elongation", "dL", "sum", 1.0, "Lcur", "L", coef2=-1.0),
        row("speed", "V", "product", "rad", "om", "Lcur"),
        row("square", "VV", "product", 1.0, "V", "V"),
        row("centripetal", "VVL", "quotient", 1.0, "VV", "Lcur"),
        row("centrifugal", "Fc", "product", 1.0, "VVL", "m"),
        row("tension", "Ften", "sum", 1.0, "Fc", "PcosA"),
    ],
)

ELASTIC_THREAD_C_F = ELASTIC_THREAD.extended({"k": lambda x: x["c"]})

CART = ELASTIC_THREAD_AS_PRINTED.extended(
    {"c": 0, "Mc": 1},
    {"ang": 5, "Fcart": 0, "aC": 0, "VC": 0, "XC": 0, "VCL": 0, "om2": 0, "omT": 0},
    replace=[
        row("5", "ang", "integral", 1.0, "omT"),
        row("6", "V", "product", "rad", "omT", "Lcur"),
    ],
    relations=[
        row("16", "Fcart", "product", 1.0, "Ften", "sinA"),
        row("17", "aC", "quotient", 1.0, "Fcart", "Mc"),
        row("18", "VC", "integral", 1.0, "aC"),
        row("19", "XC", "integral", 1.0, "VC"),
        row("20", "VCL", "quotient", 1.0, "VC", "Lcur"),
        row("21", "om2", "product", "-deg", "VCL", "cosA"),
        row("22", "omT", "sum", 1.0, "om", "om2"),
    ],
)


def cart_stops(stop_is_event):
    return CART.extended(
        {"zero": 0, "limR": 1.5, "limL": -10},
        {"ang": 75},
        [("at_right", "XC", ">", "limR"), ("at_left", "XC", "<", "limL"),
         ("F_neg", "Fcart", "<", 0.0), ("F_pos", "Fcart", ">", 0.0)],
        [("Stop", ("at_right", "F_neg"), stop_is_event),
         ("Stop", ("at_left", "F_pos"), stop_is_event),
         ("Ostanov", ("at_right", "F_pos"), False), ("Ostanov", ("at_left", "F_neg"), False)],
        [
            row("23", "aC", "proportional", 1.0, "zero", when=("Stop",)),
            row("24", "aC", "proportional", 1.0, "zero", when=("Ostanov",)),
            row("25", "VC", "proportional", 1.0, "zero", when=("Stop",)),
            row("26", "VC", "proportional", 1.0, "zero", when=("Ostanov",)),
        ],
    )


CART_STOPS = cart_stops(stop_is_event=True)
CART_STOPS_AS_LEVEL = cart_stops(stop_is_event=False)

RLC = Table(
    {"R": 1, "L": 0.1, "C": 0.01, "Uin": 10},
    {"E": 0, "I": 0, "IC": lambda x: x["I"] / x["C"], "IR": lambda x: x["I"] * x["R"],
     "EIR": lambda x: x["E"] + x["IR"], "EsL": lambda x: x["Es"] / x["L"],
     "Es": lambda x: -x["EIR"] - x["Uin"]},
    relations=[
        row("1", "E", "integral", 1.0, "IC", when=("On",)),
        row("2", "I", "integral", 1.0, "EsL", when=("On",)),
        row("3", "IC", "quotient", 1.0, "I", "C", when=("On",)),
        row("4", "IR", "product", 1.0, "I", "R", when=("On",)),
        row("5", "EIR", "sum", 1.0, "E", "IR", when=("On",)),
        row("6", "EsL", "quotient", 1.0, "Es", "L", when=("On",)),
        row("7", "Es", "sum", -1.0, "EIR", "Uin", when=("On",), coef2=-1.0),
    ],
)

# --- the runs: folder, file, table, changed values, step, end, distance of the rows kept ----------

RUNS = [
    ("hoop", "main", HOOP, {}, 1e-4, 8, 0.1),
    ("hoop", "alternative_reading", HOOP, {"K_braking": 80000, "K_acceleration": 49000},
     1e-4, 8, 0.1),
    ("hoop", "mass_2", HOOP, {"m": 2}, 1e-4, 8, 0.1),
    ("hoop", "as_printed", HOOP_AS_PRINTED, {}, 1e-3, 2, 0.05),
    ("hoop_drag", "held_in_contact", HOOP_DRAG, {}, 1e-4, 8, 0.1),
    ("hoop_drag", "zero_in_contact", HOOP_DRAG_IN_FLIGHT, {}, 1e-4, 8, 0.1),
    ("hoop_rotation", "mu_0.5", HOOP_ROTATION, {}, 1e-4, 4, 0.05),
    ("hoop_rotation", "mu_0.15", HOOP_ROTATION, {"mu": 0.15}, 1e-4, 4, 0.05),
    ("hoop_rotation", "mu_0.05", HOOP_ROTATION, {"mu": 0.05}, 1e-4, 4, 0.05),
    *(("pendulum", f"amplitude_{angle}", PENDULUM, {"ang": angle}, 1e-3, 10, 0.1)
      for angle in (5, 30, 45, 75)),
    ("pendulum", "printed_57.24", PENDULUM, {"deg": 57.24}, 1e-3, 10, 0.1),
    ("pendulum", "printed_57.29", PENDULUM, {"deg": 57.29}, 1e-3, 10, 0.1),
    *(("маятник", f"амплитуда_{angle}", PENDULUM, {"ang": angle}, 1e-3, 10, 0.1)
      for angle in (5, 30, 45, 75)),
    ("elastic_thread", "as_printed", ELASTIC_THREAD_AS_PRINTED, {}, 1e-3, 10, 0.2),
    ("elastic_thread", "c_FL_deg45", ELASTIC_THREAD, {}, 1e-3, 10, 0.2),
    ("elastic_thread", "c_FL_deg75", ELASTIC_THREAD, {"ang": 75}, 1e-3, 10, 0.2),
    ("elastic_thread", "soft_deg60", ELASTIC_THREAD, {"c": 0.02, "ang": 60}, 1e-3, 10, 0.2),
    ("elastic_thread", "c_F_deg75", ELASTIC_THREAD_C_F, {"c": 0.004, "ang": 75}, 1e-3, 10, 0.2),
    ("cart", "cart1_load10_5deg", CART, {"m": 10}, 1e-3, 10, 0.2),
    ("cart", "cart1_load1_5deg", CART, {}, 1e-3, 10, 0.2),
    ("cart", "cart10_load1_5deg", CART, {"Mc": 10}, 1e-3, 10, 0.2),
    ("cart", "cart1_load1_75deg", CART, {"ang": 75}, 1e-3, 10, 0.2),
    ("cart_stops", "event_Stop", CART_STOPS, {}, 1e-3, 8, 0.2),
    ("cart_stops", "situation_Ostanov", CART_STOPS, {"limR": 0.5}, 1e-3, 8, 0.2),
    ("cart_stops", "both_stops", CART_STOPS, {"limL": -0.2, "limR": 0.6}, 1e-3, 8, 0.2),
    ("cart_stops", "stop_as_level", CART_STOPS_AS_LEVEL, {}, 1e-3, 3, 0.1),
    ("rlc", "main", RLC, {}, 1e-4, 1, 0.01),
    ("rlc", "coarse", RLC, {}, 1e-3, 1, 0.02),
]

TABLES = {
    ("hoop", "table.ron"): HOOP,
    ("hoop", "as_printed.ron"): HOOP_AS_PRINTED,
    ("hoop_rotation", "table.ron"): HOOP_ROTATION,
    ("pendulum", "table.ron"): PENDULUM,
    ("elastic_thread", "as_printed.ron"): ELASTIC_THREAD_AS_PRINTED,
    ("cart", "table.ron"): CART,
    ("cart_stops", "table.ron"): CART_STOPS,
    ("rlc", "table.ron"): RLC,
}


def compare_ticks():
    """Compares with the published numbers; says the largest difference."""
    data = json.loads(TICKS.read_text())
    worst = 0.0
    for known in data["runs"]:
        table = TABLES[known["scenario"], known["table"]]
        samples = {sample["tick"]: sample for sample in known["samples"]}
        changes, before = [], None
        for tick, x, _, rows in table.run(known["set"], known["step"], known["ticks"],
                                          known["integral"]):
            for name, value in samples.get(tick, {}).items():
                if name != "tick":
                    allowed = data["tolerance"]["abs"] + data["tolerance"]["rel"] * abs(value)
                    worst = max(worst, abs(x[name] - value) / allowed)
            if before is not None:
                for index, (name, literals, _) in enumerate(table.situations):
                    if rows[index] != before[index]:
                        changes.append((tick, name, literals, rows[index]))
            before = rows
        expected = [(c["tick"], c["name"], tuple(c["row"]), c["to"]) for c in known["changes"]]
        assert sorted(changes) == sorted(expected), (known["scenario"], changes, expected)
    assert worst <= 1.0, worst
    return f"{len(data['runs'])} runs agree, largest difference {worst:.2g} of the tolerance"


def trajectory(folder, table, changes, step, stop, every):
    """The text of a reference file."""
    ticks, stride = round(stop / step), round(every / step)
    reals = list(table.starts)
    ranges = [name for name, *_ in table.ranges]
    situations = list(dict.fromkeys(name for name, *_ in table.situations))
    events = {name for name, _, event in table.situations if event}
    switches = ["On"] if folder == "rlc" else []
    names = [RUSSIAN.get(name, name) for name in reals] if folder == "маятник" else reals
    lines = [
        f"# step {step:g}, integral rectangle, scan sequential; made by scenarios/reference.py",
        f"# tolerance {TOLERANCE:g}",
        ",".join(["time", *names, *switches, *ranges, *situations]),
    ]
    fired = dict.fromkeys(events, False)
    for tick, x, w, _ in table.run(changes, step, ticks):
        for name in events:
            fired[name] |= w[name]
        if tick % stride == 0:
            numbers = [tick * step, *(x[name] for name in reals)]
            truths = [w[name] for name in (*switches, *ranges)]
            truths += [fired[name] if name in events else w[name] for name in situations]
            lines.append(",".join([*(f"{v:.12g}" for v in numbers), *(str(int(t)) for t in truths)]))
            fired = dict.fromkeys(events, False)
    return "\n".join(lines) + "\n"


# --- runs in exact time -----------------------------------------------------------------------------


class Exact:
    """A model in exact time, written down as formulas and not as a table.

    `start(p)`: the state, a dictionary of numbers and booleans. `rates(p, x)`: what moves and how
    fast. `guards(p, x)`: name -> a number; the event of that name happens when it comes to be
    positive (`t` is in x). `act(p, x, event)`: changes the state. `values(p, x)`: all reals of the
    table, and booleans.

    Fourth-order Runge-Kutta with a fixed step; an event is located by halving, each time from the
    start of its step.
    """

    def __init__(self, parameters, start, rates, values, guards=lambda p, x: {}, act=None):
        self.parameters = parameters
        self.start = start
        self.rates = rates
        self.values = values
        self.guards = guards
        self.act = act

    def moved(self, p, x, h):
        def at(k, part):
            y = dict(x, t=x["t"] + part)
            for name, rate in k.items():
                y[name] = x[name] + part * rate
            return self.rates(p, y)

        k1 = self.rates(p, x)
        k2 = at(k1, h / 2)
        k3 = at(k2, h / 2)
        k4 = at(k3, h)
        y = dict(x, t=x["t"] + h)
        for name in k1:
            y[name] = x[name] + h * (k1[name] + 2 * (k2[name] + k3[name]) + k4[name]) / 6
        return y

    def run(self, changes, stop, every, steps):
        """The reals and booleans at multiples of `every`, and the events: (time, name)."""
        p = {**self.parameters, **changes}
        x = dict(self.start(p), t=0.0)
        for name in changes:
            if name in x:
                x[name] = changes[name]
        rows, events = [(0.0, self.values(p, x))], []
        for index in range(1, round(stop / every) + 1):
            for part in range(1, steps + 1):
                end = (index - 1 + part / steps) * every
                while x["t"] < end:
                    h = end - x["t"]
                    before = self.guards(p, x)
                    y = self.moved(p, x, h)
                    first = None
                    for name in self.crossed(before, self.guards(p, y)):
                        low, high = 0.0, h
                        while low < (middle := (low + high) / 2) < high:
                            z = self.guards(p, self.moved(p, x, middle))
                            if z[name] > 0:
                                high = middle
                            else:
                                low = middle
                        if first is None or high < first[0]:
                            first = high, name
                    if first is None:
                        x = dict(y, t=end)
                        continue
                    x = self.moved(p, x, first[0])
                    events.append((x["t"], first[1]))
                    x = {**x, **self.act(p, x, first[1])}
            rows.append((index * every, self.values(p, x)))
        return rows, events

    @staticmethod
    def crossed(before, after):
        return [name for name in before if before[name] <= 0 < after[name]]


def thermostat_values(p, x):
    heat = p["P"] if x["heater"] else 0.0
    loss = p["k"] * (x["T"] - p["Ta"])
    return {"heat": heat, "loss": loss, "rate": heat - loss, "T": x["T"], "heater": x["heater"]}


THERMOSTAT = Exact(
    {"Ta": 10, "k": 0.1, "P": 2, "low": 19, "high": 21},
    lambda p: {"T": 18.0, "heater": True},
    lambda p, x: {"T": thermostat_values(p, x)["rate"]},
    thermostat_values,
    lambda p, x: {"off": x["T"] - p["high"]} if x["heater"] else {"on": p["low"] - x["T"]},
    lambda p, x, event: {"heater": event == "on"},
)


def reactor_values(p, x):
    k1 = p.get("k1", 5.073e8 * math.exp(-1.0e5 / (p["Rg"] * x["T"])))
    k2 = p.get("k2", 1.340e8 * math.exp(-9.8e4 / (p["Rg"] * x["T"])))
    r1, r2 = k1 * x["A"], k2 * x["B"]
    rates = [15 * x["v_in"], x["v_out"] * x["A"], 10 * x["v_in"], x["v_out"] * x["B"], r1, r2,
             x["v_out"] * x["C"], x["T"]]
    return {
        "v_in": x["v_in"], "v_out": x["v_out"], "T": x["T"], "k1": k1, "k2": k2,
        "A": x["A"], "B": x["B"], "C": x["C"], "late": x["late"], "heated": x["heated"],
        **{f"flux({number})": rate for number, rate in enumerate(rates, 1)},
    }


def reactor_rates(p, x):
    values = reactor_values(p, x)
    flux = {number: values[f"flux({number})"] for number in range(1, 8)}
    rates = {"A": flux[1] - flux[2] - flux[5], "B": flux[3] - flux[4] + flux[5] - flux[6],
             "C": flux[6] - flux[7]}
    return {**rates, "T": 5.0} if x["heated"] else rates


def reactor_act(p, x, event):
    if event == "heat":
        return {"heated": True}
    return {"late": True, "v_in": 2 * x["v_in"], "v_out": 2 * x["v_out"]}


REACTOR = Exact(
    {"Rg": 8.31},
    lambda p: {"v_in": 0.2, "v_out": 0.21, "T": 580.0, "A": 0.0, "B": 0.0, "C": 0.0,
               "late": False, "heated": False},
    reactor_rates,
    reactor_values,
    lambda p, x: {"flow": x["t"] - 2, "heat": x["t"] - 5},
    reactor_act,
)


def balls_values(p, x):
    f1, f2 = p["k1"] * (p["n1"] - x["x1"]), p["k2"] * (p["n2"] - x["x2"])
    both = (f1 + f2) / (p["m1"] + p["m2"])
    a1, a2 = (both, both) if x["together"] else (f1 / p["m1"], f2 / p["m2"])
    return {"F1": f1, "F2": f2, "pull": f1 - f2, "a1": a1, "a2": a2,
            "aging": -x["s"] if x["together"] else x["aged"],
            **{name: x[name] for name in ("v1", "v2", "x1", "x2", "s", "together")}}


def balls_rates(p, x):
    values = balls_values(p, x)
    rates = {"x1": x["v1"], "x2": x["v2"], "v1": values["a1"], "v2": values["a2"]}
    return {**rates, "s": -x["s"]} if x["together"] else rates


def balls_guards(p, x):
    if not x["together"]:
        return {"collision": x["x1"] - x["x2"]}
    pull = balls_values(p, x)["pull"]
    return {"separation": (-pull if p["signed"] else abs(pull)) - x["s"]}


def balls_act(p, x, event):
    if event == "separation":
        return {"together": False, "aged": -x["s"]}
    v = (p["m1"] * x["v1"] + p["m2"] * x["v2"]) / (p["m1"] + p["m2"])
    return {"v1": v, "v2": v, "x2": x["x1"], "s": p["s0"], "together": True}


STICKY_BALLS = Exact(
    {"k1": 1, "k2": 2, "m1": 1, "m2": 1, "n1": 1, "n2": 2, "s0": 10, "signed": False},
    lambda p: {"v1": 0.0, "v2": 0.0, "x1": 0.0, "x2": 3.0, "s": 0.0, "together": False, "aged": 0.0},
    balls_rates,
    balls_values,
    balls_guards,
    balls_act,
)

SLOPE = math.radians(-20)


def billiard_values(p, x):
    vx, vy, height = x["vx"], x["vy"], x["y"]
    return {"vt": vy * math.sin(SLOPE) + vx * math.cos(SLOPE),
            "vn": vy * math.cos(SLOPE) - vx * math.sin(SLOPE), "vx": vx, "vy": vy, "x": x["x"],
            "y": height, "gap": (height - 3.6) * math.cos(SLOPE) - x["x"] * math.sin(SLOPE),
            "energy": (vx * vx + vy * vy) / 2 + 9.81 * height}


def billiard_guards(p, x):
    guards = {"plane": -billiard_values(p, x)["gap"], "right_wall": x["x"] - 10,
              "left_wall": -x["x"], "ceiling": x["y"] - 6.5}
    return {name: guards[name] for name in p["surfaces"]}


def billiard_act(p, x, event):
    if event == "ceiling":
        return {"vy": -x["vy"]}
    if event != "plane":
        return {"vx": -x["vx"]}
    values = billiard_values(p, x)
    vt, vn = values["vt"], -values["vn"]
    return {"vx": vt * math.cos(SLOPE) - vn * math.sin(SLOPE),
            "vy": vn * math.cos(SLOPE) + vt * math.sin(SLOPE)}


BILLIARD = Exact(
    {"surfaces": ("plane",)},
    lambda p: {"vx": 0.0, "vy": 0.0, "x": 1.0, "y": 8.0},
    lambda p, x: {"x": x["vx"], "y": x["vy"], "vy": -9.81},
    billiard_values,
    billiard_guards,
    billiard_act,
)

FALL = math.sqrt(2 * 9.81 * 5)


def stand_act(p, x, event):
    n = x["n"] + 1
    return {"n": n, "x_hit": x["x"], "x_true": x["next"], "error": x["x"] - x["next"],
            "next": x["next"] + 2 * p["theta"] ** n * FALL / 9.81, "y": 0.0,
            "vy": p["theta"] ** n * FALL}


STAND = Exact(
    {"theta": 0.6, "vy0": 0.0},
    lambda p: {"n": 0.0, "x_hit": 0.0, "x_true": 0.0, "error": 0.0,
               "next": (p["vy0"] + math.sqrt(p["vy0"] ** 2 + 2 * 9.81 * 5)) / 9.81,
               "x": 0.0, "y": 5.0, "vy": p["vy0"]},
    lambda p, x: {"x": 1.0, "y": x["vy"], "vy": -9.81},
    lambda p, x: {name: value for name, value in x.items() if name != "t"},
    lambda p, x: {"hit": -x["y"]},
    stand_act,
)


def obstacle_values(p, x):
    return {"eps": -9.81 * math.sin(x["angle"]) - 0.1 * x["omega"], "omega": x["omega"],
            "angle": x["angle"]}


OBSTACLE_PENDULUM = Exact(
    {},
    lambda p: {"omega": 0.0, "angle": -1.0},
    lambda p, x: {"angle": x["omega"], "omega": obstacle_values(p, x)["eps"]},
    obstacle_values,
    lambda p, x: {"impact": x["angle"] - 0.3},
    lambda p, x, event: {"omega": -x["omega"]},
)


WALKER_MASSES = {"hip": 10.0, "carries": 5.0, "swings": 5.0}


def walker_moves(stance, swing):
    """Where the masses of the walker stand from the foot that carries it, and how they move with each of the
    two angles: complex numbers, x + iy. Half a leg is half a metre."""
    up, down = 1j * complex(math.cos(stance), math.sin(stance)), -1j * complex(math.cos(swing), math.sin(swing))
    places = {"hip": up, "carries": up / 2, "swings": up + down / 2}
    with_stance = {"hip": 1j * up, "carries": 1j * up / 2, "swings": 1j * up}
    with_swing = {"hip": 0, "carries": 0, "swings": 1j * down / 2}
    return places, with_stance, with_swing


def inner(a, b):
    return a.real * b.real + a.imag * b.imag


def cross(a, b):
    return a.real * b.imag - a.imag * b.real


def solved(a, b, c, d, e, f):
    """x and y with a x + b y = e, c x + d y = f."""
    return (e * d - b * f) / (a * d - b * c), (a * f - e * c) / (a * d - b * c)


def walker_rates(p, x):
    """No constraint does work (d'Alembert): the forces that are left have none in the direction of an angle."""
    places, by_stance, by_swing = walker_moves(x["stance"], x["swing"])
    rows = []
    for direction in by_stance, by_swing:
        row = [0.0, 0.0, 0.0]
        for name, mass in WALKER_MASSES.items():
            # What turns on a circle is drawn to its middle.
            on_circle = 1j * by_stance[name] * x["w_stance"] ** 2 + 1j * by_swing[name] * x["w_swing"] ** 2
            row[0] += mass * inner(direction[name] + 0j, by_stance[name] + 0j)
            row[1] += mass * inner(direction[name] + 0j, by_swing[name] + 0j)
            row[2] += mass * inner(direction[name] + 0j, -9.8j - on_circle)
        rows.append(row)
    (a, b, e), (c, d, f) = rows
    stance, swing = solved(a, b, c, d, e, f)
    return {"stance": x["w_stance"], "swing": x["w_swing"], "w_stance": stance, "w_swing": swing}


def walker_strikes(p, x):
    """The momentum about the foot that strikes stays, and that of the leg that has carried about the hip."""
    places, by_stance, by_swing = walker_moves(x["stance"], x["swing"])
    foot = places["hip"] + 2 * by_swing["swings"] / 1j

    def momenta(places, foot, hip, leg, speeds):
        whole = sum(mass * cross(places[name] - foot, speeds[name]) for name, mass in WALKER_MASSES.items())
        return whole, 5 * cross(places[leg] - hip, speeds[leg])

    speeds = {name: by_stance[name] * x["w_stance"] + by_swing[name] * x["w_swing"] for name in places}
    before = momenta(places, foot, places["hip"], "carries", speeds)
    new, by_stance, by_swing = walker_moves(x["swing"], x["stance"])
    columns = [momenta(new, 0, new["hip"], "swings", {name: move + 0j for name, move in by.items()})
               for by in (by_stance, by_swing)]
    w_stance, w_swing = solved(columns[0][0], columns[1][0], columns[0][1], columns[1][1], *before)
    return {"stance": x["swing"], "swing": x["stance"], "w_stance": w_stance, "w_swing": w_swing,
            "H_all": before[0], "H_leg": before[1], "strides": x["strides"] + 1, "last": x["t"],
            "stride_time": x["t"] - x["last"]}


def walker_values(p, x):
    alpha = x["stance"] - x["swing"]
    coupled = -2.5 * math.cos(alpha)
    loads = {"Q1": -2.5 * math.sin(alpha) * x["w_stance"] ** 2 - 2.5 * 9.8 * math.sin(x["swing"]),
             "Q2": 2.5 * math.sin(alpha) * x["w_swing"] ** 2 + 17.5 * 9.8 * math.sin(x["stance"])}
    low = x["stance"] + x["swing"] < -math.radians(2 * p["slope"])
    ahead = x["swing"] > x["stance"]
    state = {name: value for name, value in x.items() if name != "t"}
    return {"alpha": alpha, "M12": coupled, **loads, "D": 1.25 * 16.25 - coupled ** 2, **state,
            "low": low, "ahead": ahead}


def walker_foot(p, x):
    above = x["stance"] + x["swing"] + math.radians(2 * p["slope"])
    return {"strike": min(-above, x["swing"] - x["stance"])}


WALKER = Exact(
    {"slope": 3.0},
    lambda p: {"w_swing": -0.3772, "w_stance": -1.0918, "swing": -0.3233, "stance": 0.2187, "H_all": 0.0,
               "H_leg": 0.0, "strides": 0.0, "last": 0.0, "stride_time": 0.0},
    walker_rates,
    walker_values,
    walker_foot,
    lambda p, x, event: walker_strikes(p, x),
)


def hanging(angle, omega):
    """Speed and place of a load on a rod of length 1."""
    return {"vx": omega * math.cos(angle), "vy": omega * math.sin(angle), "x": math.sin(angle),
            "y": -math.cos(angle)}


def breaking_values(p, x):
    place = {name: x[name] for name in ("vx", "vy", "x", "y")}
    if not x["broken"]:
        place = hanging(x["angle"], x["omega"])
    return {"angle": x["angle"], "omega": x["omega"], "eps": -9.81 * math.sin(x["angle"]), **place,
            "broken": x["broken"]}


def breaking_rates(p, x):
    if x["broken"]:
        return {"x": x["vx"], "y": x["vy"], "vy": -9.81}
    return {"angle": x["omega"], "omega": -9.81 * math.sin(x["angle"])}


BREAKING_PENDULUM = Exact(
    {},
    lambda p: {"angle": -1.2, "omega": 0.0, **hanging(-1.2, 0.0), "broken": False},
    breaking_rates,
    breaking_values,
    lambda p, x: {} if x["broken"] else {"break": x["angle"] - 0.5},
    lambda p, x, event: {"broken": True, **hanging(x["angle"], x["omega"])},
)


def breaking_machine_values(p, x):
    values = breaking_values(p, x)
    return {name: values[name] for name in ("angle", "omega", "vx", "vy", "x", "y")} | {
        "load.hangs": not x["broken"], "load.flies": x["broken"]}


BREAKING_MACHINE = Exact(
    {},
    lambda p: {"angle": -1.2, "omega": 0.0, **hanging(-1.2, 0.0), "broken": False},
    breaking_rates,
    breaking_machine_values,
    lambda p, x: {} if x["broken"] else {"break": x["angle"] - 0.5},
    lambda p, x, event: {"broken": True, **hanging(x["angle"], x["omega"])},
)


SADDLE = Exact(
    {},
    lambda p: {"x1": 0.1, "x2": 1.0},
    lambda p, x: {"x1": x["x1"], "x2": -0.8 * x["x2"]},
    lambda p, x: {"x1": x["x1"], "x2": x["x2"], "r1": x["x1"], "r2": -0.8 * x["x2"]},
    lambda p, x: {"right": x["x1"] - 1, "left": -1 - x["x1"]},
    lambda p, x, event: {"x1": -0.5 * x["x2"], "x2": 1.0 if event == "right" else -1.0},
)

ONE_SIDED_BALL = Exact(
    {},
    lambda p: {"v": 0.0, "y": 10.0},
    lambda p, x: {"y": x["v"], "v": -9.81},
    lambda p, x: {"v": x["v"], "y": x["y"]},
    lambda p, x: {"bounce": -x["y"]},
    lambda p, x, event: {"v": -0.8 * x["v"]},
)

IMPLICIT_BALL = Exact(
    {"a": 9.81, "alpha": 0.8},
    lambda p: {"v": 0.0, "y": 10.0},
    lambda p, x: {"y": x["v"], "v": -p["a"]},
    lambda p, x: {"v": x["v"], "y": x["y"], "rate(v)": -p["a"], "rate(y)": x["v"]},
    lambda p, x: {"bounce": -x["y"]},
    lambda p, x, event: {"v": -p["alpha"] * x["v"]},
)


def rod_values(p, x):
    """Places, speeds and force from the angle."""
    s, c = math.sin(x["angle"]), math.cos(x["angle"])
    v, length = p["L"] * x["omega"], p["L"]
    return {"lam": p["m"] * (x["omega"] ** 2 + p["g"] * c / length), "vx": v * c, "vy": v * s,
            "x": length * s, "y": -length * c}


PENDULUM_ROD = Exact(
    {"g": 9.81, "L": 1.0, "m": 2.0},
    lambda p: {"angle": math.pi / 2, "omega": 0.0},
    lambda p, x: {"angle": x["omega"], "omega": -p["g"] / p["L"] * math.sin(x["angle"])},
    rod_values,
)


def rectifier_values(p, x):
    """The bridge is symmetric: the voltages at its ends follow from that between them, w, which is found by halving."""
    t, out, unit = x["t"], x["p"], 2 * p["Ut"]
    u = p["U0"] * math.sin(2 * math.pi * p["f"] * t)
    current = lambda w: p["I0"] * (math.exp((w - out) / unit) - math.exp(-(out + w) / unit)) + w / p["Rd"]
    low, high = min(u, 0.0), max(u, 0.0)
    while low < (w := (low + high) / 2) < high:
        try:
            above = w + p["Rs"] * current(w) > u
        except OverflowError:
            above = w > 0
        low, high = (low, w) if above else (w, high)
    ua, ub = (out + w) / 2, (out - w) / 2
    into = p["I0"] * (math.exp((ua - out) / p["Ut"]) + math.exp((ub - out) / p["Ut"]) - 2) - out / p["Rd"]
    return {"u": u, "ua": ua, "ub": ub, "i": current(w), "into": into, "p": out}


RECTIFIER = Exact(
    {"U0": 10.0, "f": 50.0, "Rs": 1.0, "I0": 1e-12, "Ut": 0.025, "Rd": 1e6, "R": 100.0, "C": 1e-3},
    lambda p: {"p": 0.0},
    lambda p, x: {"p": (rectifier_values(p, x)["into"] - x["p"] / p["R"]) / p["C"]},
    rectifier_values,
)


def root(function, low, high):
    """The place between two others at which a rising function passes 0."""
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if function(middle) > 0 else (middle, high)
    return low


def amplifier_values(p, x):
    """Voltages at the nodes from those across the capacitors (d1, d4, d7), and all rates."""
    diode = lambda u: p["beta"] * (math.exp(u / p["UF"]) - 1)
    steep = lambda u: p["beta"] / p["UF"] * math.exp(u / p["UF"])
    alpha, ub, r0, r, turn = p["alpha"], p["Ub"], p["R0"], p["R"], 2 * math.pi * p["f"]
    ue, ue_rate = p["a"] * math.sin(turn * x["t"]), p["a"] * turn * math.cos(turn * x["t"])
    d1, u3, d4, u6, d7 = (x[name] for name in ("d1", "U3", "d4", "U6", "d7"))
    u2 = root(lambda u: (d1 + u - ue) / r0 + (2 * u - ub) / r + (1 - alpha) * diode(u - u3), u3 - 1, u3 + 1)
    u1, i1, s1 = d1 + u2, diode(u2 - u3), steep(u2 - u3)
    u5 = root(lambda u: (d4 + u - ub) / r + alpha * i1 + (2 * u - ub) / r + (1 - alpha) * diode(u - u6), u6 - 1, u6 + 1)
    u4, i2, s2 = d4 + u5, diode(u5 - u6), steep(u5 - u6)
    u8 = (ub - d7 - r * alpha * i2) / 2
    u7 = d7 + u8
    w1, w4, w7 = -(u1 - ue) / r0 / p["C1"], -((u4 - ub) / r + alpha * i1) / p["C3"], u8 / r / p["C5"]
    w3, w6 = (i1 - u3 / r) / p["C2"], (i2 - u6 / r) / p["C4"]
    w2 = ((ue_rate - w1) / r0 + (1 - alpha) * s1 * w3) / (1 / r0 + 2 / r + (1 - alpha) * s1)
    w5 = (-w4 / r - alpha * s1 * (w2 - w3) + (1 - alpha) * s2 * w6) / (3 / r + (1 - alpha) * s2)
    w8 = (-w7 - r * alpha * s2 * (w5 - w6)) / 2
    rates = (w1 + w2, w2, w3, w4 + w5, w5, w6, w7 + w8, w8)
    return {"Ue": ue, "i1": i1, "i2": i2,
            **{f"U{at}": u for at, u in enumerate((u1, u2, u3, u4, u5, u6, u7, u8), 1)},
            **{f"rate(U{at})": w for at, w in enumerate(rates, 1)}}


def amplifier_rates(p, x):
    values = amplifier_values(p, x)
    w = lambda at: values[f"rate(U{at})"]
    return {"d1": w(1) - w(2), "U3": w(3), "d4": w(4) - w(5), "U6": w(6), "d7": w(7) - w(8)}


AMPLIFIER = Exact(
    {"Ub": 6, "UF": 0.026, "alpha": 0.99, "beta": 1e-6, "R0": 1000, "R": 9000, "C1": 1e-6, "C2": 2e-6, "C3": 3e-6,
     "C4": 4e-6, "C5": 5e-6, "a": 0.1, "f": 100},
    lambda p: {"d1": -3.0, "U3": 3.0, "d4": 3.0, "U6": 3.0, "d7": 6.0},
    amplifier_rates,
    amplifier_values,
)


class Formula:
    """A trajectory known as a formula: `values(t)`."""

    def __init__(self, values):
        self.values = values

    def run(self, changes, stop, every, steps):
        return [(index * every, self.values(index * every))
                for index in range(round(stop / every) + 1)], []


def zeno_ball(t):
    g, e = 9.81, 0.7
    since, v = -math.sqrt(2 / g), math.sqrt(2 * g)
    while since + 2 * v / g <= t:
        since, v = since + 2 * v / g, e * v
        if v < 1e-12:
            return {"v": 0.0, "h": 0.0}
    return {"v": v - g * (t - since), "h": v * (t - since) - g * (t - since) ** 2 / 2}


def sliding_pair(t):
    if t <= 1 / 7:
        return {"x": 1.5 - 2 * t, "y": 1 + 1.5 * t}
    place = 1.5 - 2 / 7 - 6 / 17 * (t - 1 / 7)
    return {"x": place, "y": place}


class Loader:
    """A motor driven by measured points with straight lines between them: closed form from point to point."""

    J, C = 2.5, 0.4

    def run(self, changes, stop, every, steps):
        with open(HERE / "loader" / "motor.csv") as file:
            points = [tuple(map(float, line.split(","))) for line in list(file)[1:]]
        wanted = [index * every for index in range(round(stop / every) + 1)]
        rows, w = [], 0.0
        for (t0, m0), (t1, m1) in zip(points, points[1:]):
            slope = (m1 - m0) / (t1 - t0)
            last = t1 == points[-1][0]
            for t in wanted:
                if t0 <= t < t1 or (last and t1 <= t):
                    at = min(t, t1)
                    rows.append((t, {"M": m0 + slope * (at - t0), "w": self.moved(m0, slope, w, at - t0)}))
            w = self.moved(m0, slope, w, t1 - t0)
        return rows, []

    def moved(self, m, slope, w, time):
        b = slope / self.C
        a = (m - self.J * b) / self.C
        return w + b * time + (w - a) * math.expm1(-self.C / self.J * time)


class BloodCells:
    """A delay equation by the method of steps: classical Runge-Kutta, values of the past on its own grid, between two of
    them the cubic through values and rates."""

    BETA, GAMMA, N = 0.2, 0.1, 10

    def rate(self, x, late):
        return self.BETA * late / (1 + late ** self.N) - self.GAMMA * x

    def run(self, changes, stop, every, steps):
        tau, first = changes.get("tau", 17), 1.2
        h = every / steps
        lag = round(tau / h)
        xs, slopes = [first], [self.rate(first, first)]

        def late(index):
            return xs[index - lag] if index >= lag else first

        def between(index):
            """The value half a step behind a point; no step spans the start or a multiple of tau."""
            at = index - lag
            if at < 0:
                return first
            return (xs[at] + xs[at + 1]) / 2 + h / 8 * (slopes[at] - slopes[at + 1])

        rows = []
        for index in range(round(stop / every) * steps + 1):
            x = xs[index]
            if index % steps == 0:
                rows.append((index // steps * every, {"cells": x, "late": late(index)}))
            a, b, c = late(index), between(index), late(index + 1)
            k1 = self.rate(x, a)
            k2 = self.rate(x + h / 2 * k1, b)
            k3 = self.rate(x + h / 2 * k2, b)
            k4 = self.rate(x + h * k3, c)
            xs.append(x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
            slopes.append(self.rate(xs[-1], c))
        return rows, []


class Stiff:
    """A stiff model in exact time: `start(p)`, `rates(p, x)` and `values(p, x)` as in `Exact`, events that change only
    what `count(before, after)` says of two states in a row.

    Linearly implicit Euler steps, extrapolated (Deuflhard; Hairer and Wanner, IV.9): the state at h from 1, 2, .., 8
    steps, the last two columns apart by less than 1e-11 of their size, else a shorter one.
    """

    COLUMNS = 8

    def __init__(self, parameters, start, rates, values, count=lambda x, y: {}):
        self.parameters, self.start, self.rates, self.values = parameters, start, rates, values
        self.count = count

    def run(self, changes, stop, every, steps):
        p = {**self.parameters, **changes}
        x, h = self.start(p), every / steps
        moving = list(self.rates(p, x))
        rows = [(0.0, self.values(p, x))]
        for index in range(1, round(stop / every) + 1):
            t, end = 0.0, every
            while t < end:
                h = min(h, end - t)
                y, error = self.extrapolated(p, x, moving, h)
                if error <= 1:
                    state = {**x, **dict(zip(moving, y))}
                    x = {**state, **self.count(x, state)}
                    t = end if h == end - t else t + h
                h *= min(3.0, max(0.2, 0.8 * (0.1 / max(error, 1e-9)) ** (1 / self.COLUMNS)))
            rows.append((index * every, self.values(p, x)))
        return rows, []

    def extrapolated(self, p, x, moving, h):
        n = len(moving)
        rates = lambda y: list(self.rates(p, {**x, **dict(zip(moving, y))}).values())
        start = [x[name] for name in moving]
        first, jacobian = rates(start), [[0.0] * n for _ in range(n)]
        for column in range(n):
            # The extrapolated Euler steps have their order with any matrix near the Jacobian.
            away = 1e-6 * max(abs(start[column]), 1e-8)
            ahead, behind = (
                rates([v + sign * away * (i == column) for i, v in enumerate(start)]) for sign in (1, -1)
            )
            for row in range(n):
                jacobian[row][column] = (ahead[row] - behind[row]) / (2 * away)
        table = []
        for number in range(1, self.COLUMNS + 1):
            part = h / number
            inverse = factored([[(i == j) - part * jacobian[i][j] for j in range(n)] for i in range(n)])
            y, rate = start, first
            for step in range(number):
                rate = rate if step == 0 else rates(y)
                y = [v + d for v, d in zip(y, solved_by(inverse, [part * r for r in rate]))]
            line = [y]
            for back, other in enumerate(table[-1] if table else [], 1):
                ratio = number / (number - back)
                line.append([a + (a - b) / (ratio - 1) for a, b in zip(line[-1], other)])
            table.append(line)
        best, other = table[-1][-1], table[-1][-2]
        error = max(abs(a - b) / (1e-11 * abs(a) + 1e-13) for a, b in zip(best, other))
        return best, error if math.isfinite(error) else 1e9


def factored(a):
    """LU factors with exchanged rows, and the order of the rows."""
    n, order = len(a), list(range(len(a)))
    for k in range(n):
        pivot = max(range(k, n), key=lambda row: abs(a[row][k]))
        a[k], a[pivot] = a[pivot], a[k]
        order[k], order[pivot] = order[pivot], order[k]
        for row in range(k + 1, n):
            a[row][k] /= a[k][k]
            for column in range(k + 1, n):
                a[row][column] -= a[row][k] * a[k][column]
    return a, order


def solved_by(factors, b):
    a, order = factors
    x = [b[row] for row in order]
    for row in range(len(x)):
        x[row] -= sum(a[row][k] * x[k] for k in range(row))
    for row in reversed(range(len(x))):
        x[row] = (x[row] - sum(a[row][k] * x[k] for k in range(row + 1, len(x)))) / a[row][row]
    return x


def robertson_values(p, x):
    return {"A": x["A"], "B": x["B"], "C": x["C"], "r1": p["k1"] * x["A"],
            "r2": p["k2"] * x["B"] ** 2, "r3": p["k3"] * x["B"] * x["C"]}


def robertson_rates(p, x):
    r = robertson_values(p, x)
    return {"A": r["r3"] - r["r1"], "B": r["r1"] - r["r2"] - r["r3"], "C": r["r2"]}


ROBERTSON = Stiff(
    {"k1": 0.04, "k2": 3e7, "k3": 1e4},
    lambda p: {"A": 1.0, "B": 0.0, "C": 0.0},
    robertson_rates,
    robertson_values,
)


def van_der_pol_rates(p, x):
    return {"x": x["v"], "v": p["mu"] * (1 - x["x"] ** 2) * x["v"] - x["x"]}


VAN_DER_POL = Stiff(
    {"mu": 100.0},
    lambda p: {"x": 2.0, "v": 0.0, "jumps": 0},
    van_der_pol_rates,
    lambda p, x: {"x": x["x"], "v": x["v"], "a": van_der_pol_rates(p, x)["v"], "jumps": x["jumps"],
                  "right": x["x"] > 0, "left": x["x"] < 0},
    lambda x, y: {"jumps": x["jumps"] + (x["x"] * y["x"] < 0)},
)


def scheme(stages, constants):
    """Rates and values of stages, each a pair of what it takes and what it gives, with mass action."""
    def values(p, x):
        rates = []
        for (takes, _), constant in zip(stages, constants):
            rate = p[constant]
            for name, count in takes.items():
                rate *= x[name] ** count
            rates.append(rate)
        return {**x, **{f"flux({number})": rate for number, rate in rates_of(rates)}}

    def rates_of(rates):
        return zip(NUMBERS[len(stages)], rates)

    def rates(p, x):
        found = {name: 0.0 for name in x}
        flux = values(p, x)
        for (takes, gives), number in zip(stages, NUMBERS[len(stages)]):
            for name, count in takes.items():
                found[name] -= count * flux[f"flux({number})"]
            for name, count in gives.items():
                found[name] += count * flux[f"flux({number})"]
        return found

    return rates, values


NUMBERS = {3: ["1", "1r", "2"], 5: ["1", "2", "3", "4", "5"]}
ENZYME = Stiff(
    {"k1": 1e6, "k2": 100.0, "k3": 10.0},
    lambda p: {"E": 1e-3, "S": 1e-2, "ES": 0.0, "P": 0.0},
    *scheme([({"E": 1, "S": 1}, {"ES": 1}), ({"ES": 1}, {"E": 1, "S": 1}), ({"ES": 1}, {"E": 1, "P": 1})],
            ["k1", "k2", "k3"]),
)
ETHANE = Stiff(
    {"k1": 1.34e-5, "k2": 373.0, "k3": 3690.0, "k4": 3.66e5, "k5": 1.62e7},
    lambda p: {"C2H6": 0.14, "CH3": 0.0, "CH4": 0.0, "C2H5": 0.0, "C2H4": 0.0, "H": 0.0, "H2": 0.0, "C4H10": 0.0},
    *scheme([({"C2H6": 1}, {"CH3": 2}), ({"CH3": 1, "C2H6": 1}, {"CH4": 1, "C2H5": 1}),
             ({"C2H5": 1}, {"C2H4": 1, "H": 1}), ({"H": 1, "C2H6": 1}, {"H2": 1, "C2H5": 1}),
             ({"C2H5": 2}, {"C4H10": 1})],
            ["k1", "k2", "k3", "k4", "k5"]),
)

# Families: crowds and grids, element by element.


def part(x):
    """What is behind the point."""
    return x % 1.0


def cells(name, values, first=1):
    return {f"{name}[{first + index}]": value for index, value in enumerate(values)}


def row_rates(p, x):
    n, k = p["N"], p["D"] * (p["N"] + 1) ** 2
    T = [0.0, *(x[f"T[{i}]"] for i in range(1, n + 1)), 0.0]
    return cells("T", [k * (T[i - 1] - 2 * T[i] + T[i + 1]) - p["c"] * T[i] + p["q"] * x[f"on[{i}]"]
                       for i in range(1, n + 1)])


def row_values(p, x):
    inner = range(1, p["N"] + 1)
    T = [0.0, *(x[f"T[{i}]"] for i in inner), 0.0]
    return {**cells("T", T, 0), **{f"on[{i}]": x[f"on[{i}]"] for i in inner}}


def row_guards(p, x):
    return {f"{i}": p["low"] - x[f"T[{i}]"] if not x[f"on[{i}]"] else x[f"T[{i}]"] - p["high"]
            for i in range(1, p["N"] + 1)}


def row_start(p):
    inner = range(1, p["N"] + 1)
    T = [p["low"] + (p["high"] - p["low"]) * part((i - 1) * 0.6180339887498949) for i in inner]
    # The first one stands on its threshold, which turns it on again.
    return {**cells("T", T), **{f"on[{i}]": i % 3 != 1 or T[i - 1] <= p["low"] for i in inner}}


THERMOSTAT_ROW = Exact(
    {"N": 10, "D": 0.002, "c": 1.0, "q": 3.0, "low": 0.9, "high": 1.1},
    row_start,
    row_rates,
    row_values,
    row_guards,
    lambda p, x, event: {f"on[{event}]": not x[f"on[{event}]"]},
)


class Firing:
    """Pulse-coupled units, by the solution between the instants: V tends to its drive as exp(-t)."""

    def run(self, changes, stop, every, steps):
        n, eps = 10, 0.3
        drive = [1.2 + 0.3 * part(i * 0.6180339887498949) for i in range(n)]
        V = [0.9 * part(i * 0.7548776662466927) for i in range(n)]
        t, kick, rows, events = 0.0, 0.0, [], []
        for index in range(round(stop / every) + 1):
            end = index * every
            while True:
                # The time after which each is full; all drives are above 1.
                waits = [math.log((d - v) / (d - 1)) for d, v in zip(drive, V)]
                first = min(waits)
                h = min(first, end - t)
                V = [d + (v - d) * math.exp(-h) for d, v in zip(drive, V)]
                if first > end - t:
                    t = end
                    break
                t += h
                V[waits.index(first)] = 1.0
                while fire := [i for i in range(n) if V[i] >= 1]:
                    events.append((t, len(fire)))
                    kick = eps / n * len(fire)
                    V = [0.0 if i in fire else v + kick for i, v in enumerate(V)]
            rows.append((end, {**cells("V", V), "kick": kick}))
        return rows, events


def heat(t):
    n = 20
    speed = lambda k: 4 * (n + 1) ** 2 * math.sin(k * math.pi / (2 * (n + 1))) ** 2
    wave = lambda k, j: math.exp(-speed(k) * t) * math.sin(k * math.pi * j / (n + 1))
    u = [0.0, *(wave(1, j) + 0.5 * wave(7, j) for j in range(1, n + 1)), 0.0]
    return {**cells("u", u, 0), "average": math.fsum(u) / n}


def medakzo_values(p, x):
    inner = range(1, p["N"] + 1)
    u = [x["phi"], *(x[f"u[{j}]"] for j in inner)]
    v = [x[f"v[{j}]"] for j in inner]
    return {"phi": x["phi"], **cells("u", [*u, u[-1]], 0), **cells("v", v),
            **cells("r", [p["k"] * a * b for a, b in zip(u[1:], v)]), "late": x["t"] >= 5 - 1e-9}


def medakzo_rates(p, x):
    n, now = p["N"], medakzo_values(p, x)
    rates = {"t": 1.0}
    for j in range(1, n + 1):
        depth, r = j / n - 1, now[f"r[{j}]"]
        before, here, after = (now[f"u[{i}]"] for i in (j - 1, j, j + 1))
        rates[f"u[{j}]"] = (2 * depth ** 3 / p["c"] ** 2 * (after - before) * n / 2
                            + depth ** 4 / p["c"] ** 2 * (before - 2 * here + after) * n ** 2 - r)
        rates[f"v[{j}]"] = -r
    return rates


class Jumping(Stiff):
    """A stiff model that jumps at a time, at which a step must end: that time is a row of a finer grid."""

    def run(self, changes, stop, every, steps):
        rows, events = super().run(changes, stop, every / 4, steps / 4)
        return rows[::4], events


MEDAKZO = Jumping(
    {"N": 10, "k": 100.0, "c": 4.0},
    lambda p: {"t": 0.0, "phi": 2.0, **cells("u", [0.0] * p["N"]), **cells("v", [1.0] * p["N"])},
    medakzo_rates,
    medakzo_values,
    lambda x, y: {"phi": 0.0 if y["t"] >= 5 - 1e-9 else 2.0},
)


def species_rates(p, x):
    n = p["n"]
    mirrored = lambda i: 2 - i if i < 1 else 2 * n - i if i > n else i
    rates = {}
    for name, other, d, own, cross in (("c1", "c2", 0.05, 1e6, 1.0), ("c2", "c1", 1.0, 1e6, 1e6 - 1)):
        for j in range(1, n + 1):
            for k in range(1, n + 1):
                at = lambda j, k: x[f"{name}[{mirrored(j)},{mirrored(k)}]"]
                c = at(j, k)
                spread = ((at(j - 1, k) - 2 * c + at(j + 1, k)) * (n - 1) ** 2
                          + (at(j, k - 1) - 2 * c + at(j, k + 1)) * ((n - 1) / 1.8) ** 2)
                rates[f"{name}[{j},{k}]"] = d * spread + c * (
                    1e6 - 1 + 1e-6 - own * c - cross * x[f"{other}[{j},{k}]"])
    return rates


def species_start(p):
    n, pi = p["n"], math.pi
    grid = [(j, k, (j - 1) / (n - 1), (k - 1) / (n - 1)) for j in range(1, n + 1) for k in range(1, n + 1)]
    return {**{f"c1[{j},{k}]": 500 + 250 * math.cos(pi * x) * math.cos(10 * pi * z) for j, k, x, z in grid},
            **{f"c2[{j},{k}]": 200 + 150 * math.cos(10 * pi * x) * math.cos(pi * z) for j, k, x, z in grid}}


COMPETING_SPECIES = Stiff({"n": 5}, species_start, species_rates, lambda p, x: dict(x))


# --- parts ------------------------------------------------------------------------------------------


def named(part, values):
    """The values of a part as they are called outside."""
    return {f"{part}.{name}": value for name, value in values.items()}


def tank_flow(p, x):
    return p["c"] * math.sqrt(x["level"]) if x["open"] else 0.0


def tank_values(p, x, inflow):
    return {"inflow": inflow, "outflow": tank_flow(p, x), "level": x["level"], "open": x["open"],
            "full": x["full"], "short": x["short"]}


def tank_guards(p, x):
    """A border of the level is crossed."""
    return {
        "full": (x["level"] - p["high"]) * (-1 if x["full"] else 1),
        "short": (p["low"] - x["level"]) * (-1 if x["short"] else 1),
    }


TANK = {"A": 1.0, "c": 0.4, "high": 1.5, "low": 0.5}
ONE_TANK = Exact(
    TANK,
    lambda p: {"level": 1.0, "open": True, "full": False, "short": False},
    lambda p, x: {"level": (0.1 - tank_flow(p, x)) / p["A"]},
    lambda p, x: tank_values(p, x, 0.1),
    tank_guards,
    lambda p, x, event: {event: not x[event]},
)
TANKS_OF = ("upper", "middle", "lower")


def tanks_parts(p, x):
    """Parameters and states of each tank, and what flows into it."""
    inflow, parts = p["rain"], {}
    for part in TANKS_OF:
        own = {name: p.get(f"{part}.{name}", value) for name, value in TANK.items()}
        state = {name: x[f"{part}.{name}"] for name in ("level", "open", "full", "short")}
        parts[part] = own, state, inflow
        inflow = tank_flow(own, state)
    return parts


def tanks_values(p, x):
    parts = tanks_parts(p, x)
    total = sum(own["A"] * state["level"] for own, state, _ in parts.values())
    values = {"total": total}
    for part, (own, state, inflow) in parts.items():
        values |= named(part, tank_values(own, state, inflow))
    return values


def tanks_rates(p, x):
    return {f"{part}.level": (inflow - tank_flow(own, state)) / own["A"]
            for part, (own, state, inflow) in tanks_parts(p, x).items()}


def tanks_guards(p, x):
    guards = {}
    for part, (own, state, _) in tanks_parts(p, x).items():
        guards |= named(part, tank_guards(own, state))
    return guards


def tanks_act(p, x, event):
    changed = {event: not x[event]}
    if event == "lower.full" and changed[event]:
        changed["middle.open"] = False
    if event == "lower.short" and changed[event]:
        changed["middle.open"] = True
    return changed


TANKS = Exact(
    {"rain": 0.35, "middle.A": 0.5, "middle.c": 0.5, "lower.c": 0.3},
    lambda p: {f"{part}.{name}": value for part, level in zip(TANKS_OF, (2.0, 1.0, 0.6))
               for name, value in (("level", level), ("open", True), ("full", level >= 1.5), ("short", False))},
    tanks_rates,
    tanks_values,
    tanks_guards,
    tanks_act,
)


def driven_values(p, x, push):
    sine = math.sin(math.radians(x["ang"]))
    a = -p["g"] * sine + push
    return {"push": push, "sinA": sine, "A": a, "eps": math.degrees(1) * a / p["L"], "om": x["om"],
            "ang": x["ang"]}


PAPER_PENDULUM = {"g": 9.81, "L": 2.0}
DRIVEN = Exact(
    PAPER_PENDULUM,
    lambda p: {"ang": 5.0, "om": 0.0},
    lambda p, x: {"om": driven_values(p, x, 0.0)["eps"], "ang": x["om"]},
    lambda p, x: driven_values(p, x, 0.0),
)


def coupled_values(p, x):
    stretch = x["right.ang"] - x["left.ang"]
    values = {"stretch": stretch}
    for part, sign_of in (("left", 1), ("right", -1)):
        state = {"ang": x[f"{part}.ang"], "om": x[f"{part}.om"]}
        values |= named(part, driven_values(p, state, sign_of * p["k"] * stretch))
    return values


def coupled_rates(p, x):
    values = coupled_values(p, x)
    return {f"{part}.{name}": values[f"{part}.{rate}"]
            for part in ("left", "right") for name, rate in (("om", "eps"), ("ang", "om"))}


COUPLED = Exact(
    {**PAPER_PENDULUM, "k": 0.05},
    lambda p: {"left.ang": 5.0, "left.om": 0.0, "right.ang": 0.0, "right.om": 0.0},
    coupled_rates,
    coupled_values,
)


def vessel_values(x, inflow):
    is_open = x["open"]
    return {"inflow": inflow, "level": x["level"], "outflow": 0.3 if is_open else 0.0,
            "valve.shut": not is_open, "valve.open": is_open}


def vessel_guards(x):
    return {"open": 0.5 - x["level"] if x["open"] else x["level"] - 2}


VESSEL = Exact(
    {},
    lambda p: {"level": 1.0, "open": False},
    lambda p, x: {"level": 0.11 - (0.3 if x["open"] else 0.0)},
    lambda p, x: vessel_values(x, 0.11),
    lambda p, x: vessel_guards(x),
    lambda p, x, event: {"open": not x["open"]},
)
CELLS = 5


def line_values(p, x, supply):
    cold = 0.6 * x[f"W[{CELLS}]"]
    liquid = p["yield"] * max(120 - cold, 0.0)
    streams = {f"{name}[{j}]": x[f"{name}[{j}]"] for name in "WC" for j in range(1, CELLS + 1)}
    return {**streams, "supply": supply, "cold": cold, "liquid": liquid,
            **named("vessel", vessel_values(x, liquid))}


def line_rates(p, x, supply):
    values = line_values(p, x, supply)
    warm, cool = ([x[f"{name}[{j}]"] for j in range(1, CELLS + 1)] for name in "WC")
    rates = {"level": values["liquid"] - values["vessel.outflow"]}
    for j, before, behind in zip(range(CELLS), [supply, *warm], [*cool[1:], values["cold"]]):
        exchange = p["k"] * (warm[j] - cool[j])
        rates[f"W[{j + 1}]"] = before - warm[j] - exchange
        rates[f"C[{j + 1}]"] = behind - cool[j] + exchange
    return rates


def line_guards(x):
    """The valve, and the kink of what becomes liquid."""
    kink = {} if x["cool"] else {"cool": 120 - 0.6 * x[f"W[{CELLS}]"]}
    return {**vessel_guards(x), **kink}


def line_start():
    return {"level": 1.0, "open": False, "cool": False,
            **{f"{name}[{j}]": 300.0 for name in "WC" for j in range(1, CELLS + 1)}}


LINE = Exact(
    {"k": 2.0, "yield": 0.006},
    lambda p: line_start(),
    lambda p, x: line_rates(p, x, 300.0),
    lambda p, x: line_values(p, x, 300.0),
    lambda p, x: line_guards(x),
    lambda p, x, event: {event: not x[event]},
)
LINES = [("line[1]", {"k": 2.25, "yield": 0.005}), ("line[2]", {"k": 2.5, "yield": 0.006})]


def line_state(x, line):
    return {name[len(line) + 1:]: value for name, value in x.items() if name.startswith(f"{line}.")}


def plant_values(p, x):
    values = {}
    for line, own in LINES:
        values |= named(line, line_values(own, line_state(x, line), 290.0))
    drained = sum(values[f"{line}.vessel.outflow"] for line, _ in LINES)
    return {"drained": drained, "store": x["store"], **values}


def plant_rates(p, x):
    rates = {"store": plant_values(p, x)["drained"]}
    for line, own in LINES:
        rates |= named(line, line_rates(own, line_state(x, line), 290.0))
    return rates


PLANT = Exact(
    {},
    lambda p: {"store": 0.0, **{name: value for line, _ in LINES for name, value in named(line, line_start()).items()}},
    plant_rates,
    plant_values,
    lambda p, x: {name: value for line, _ in LINES
                  for name, value in named(line, line_guards(line_state(x, line))).items()},
    lambda p, x, event: {event: not x[event]},
)

# Folder, file, model, changed values, end, distance of the rows, steps between rows, tolerance, and
# the step of a tick run with what it may be off (or None).
EXACT_RUNS = [
    ("thermostat", "main", THERMOSTAT, {}, 20, 0.4, 100, 1e-10, (1e-3, 3e-3)),
    ("reactor", "empty_start", REACTOR, {}, 9.8, 0.35, 100, 1e-10, (1e-3, 2e-3)),
    ("reactor", "filled_start", REACTOR, {"A": 15.0, "B": 10.0}, 9.8, 0.35, 100, 1e-10, (1e-3, 2e-3)),
    ("reactor", "R_8_314", REACTOR, {"Rg": 8.314}, 9.8, 0.35, 100, 1e-10, (1e-3, 2e-3)),
    ("reactor", "printed_constants_no_heating", REACTOR, {"k1": 0.495, "k2": 0.182},
     9.8, 0.35, 100, 1e-10, (1e-3, 2e-3)),
    ("sticky_balls", "travin_guard_ptolemy_data", STICKY_BALLS, {}, 50, 1, 500, 1e-9, (5e-4, 2e-2)),
    ("sticky_balls", "travin_displayed_positions", STICKY_BALLS, {"x1": -1.0, "x2": 4.0},
     50, 1, 500, 1e-9, (5e-4, 2e-2)),
    ("sticky_balls", "unequal_masses", STICKY_BALLS,
     {"k1": 2, "k2": 3, "m2": 3, "n2": 1.5, "x1": -1.0, "s0": 6}, 50, 1, 500, 1e-9, None),
    ("sticky_balls", "ptolemy", STICKY_BALLS, {"signed": True}, 50, 1, 500, 1e-9, (5e-4, 2e-2)),
    ("slope_billiard", "plane_only", BILLIARD, {}, 20, 0.5, 100, 1e-9, (5e-4, 6e-2)),
    ("slope_billiard", "right_wall", BILLIARD, {"surfaces": ("plane", "right_wall")},
     20, 0.5, 100, 1e-9, None),
    ("slope_billiard", "two_walls", BILLIARD,
     {"surfaces": ("plane", "right_wall", "left_wall"), "vx": 1.0}, 20, 0.5, 100, 1e-9, None),
    ("slope_billiard", "two_walls_and_ceiling", BILLIARD,
     {"surfaces": ("plane", "right_wall", "left_wall", "ceiling"), "vx": 2.0, "vy": 4.0, "y": 6.0},
     20, 0.5, 100, 1e-9, None),
    ("stand", "A_theta0.6", STAND, {}, 3.9, 0.1, 50, 1e-10, None),
    ("stand", "variable_step", STAND, {}, 3.9, 0.1, 50, 1e-10, None),
    ("stand", "A_theta0.8", STAND, {"theta": 0.8}, 7.5, 0.1, 50, 1e-10, None),
    ("stand", "B_theta0.6", STAND, {"vy0": 1.0}, 4, 0.1, 50, 1e-10, None),
    ("stand", "B_theta0.8", STAND, {"vy0": 1.0, "theta": 0.8}, 7.5, 0.1, 50, 1e-10, None),
    ("obstacle_pendulum", "main", OBSTACLE_PENDULUM, {}, 20, 0.4, 400, 1e-9, None),
    ("breaking_pendulum", "machine", BREAKING_MACHINE, {}, 1.6, 0.05, 100, 1e-10, (5e-4, 3e-3)),
    ("breaking_pendulum", "main", BREAKING_PENDULUM, {}, 1.6, 0.05, 100, 1e-10, (5e-4, 3e-3)),
    ("saddle", "main", SADDLE, {}, 50, 1, 500, 1e-9, None),
    ("one_sided_ball", "main", ONE_SIDED_BALL, {}, 12.5, 0.25, 100, 1e-9, None),
    ("amplifier", "main", AMPLIFIER, {}, 0.05, 0.00125, 600, 1e-6, None),
    ("implicit_ball", "main", IMPLICIT_BALL, {}, 11.5, 0.25, 100, 1e-9, None),
    ("pendulum_rod", "main", PENDULUM_ROD, {}, 10, 0.25, 500, 1e-9, (1e-4, 5e-2)),
    ("rectifier", "main", RECTIFIER, {}, 0.06, 0.0012, 200, 1e-8, None),
    ("walker", "slope_3", WALKER, {}, 10, 0.1, 100, 1e-8, (1e-4, 5e-2)),
    ("walker", "slope_4_5", WALKER, {"slope": 4.5, "swing": -0.38, "stance": 0.223, "w_swing": -0.1616,
                                     "w_stance": -1.1485}, 10, 0.1, 100, 1e-8, None),
    ("zeno_ball", "main", Formula(zeno_ball), {}, 6, 0.15, 1, 1e-9, None),
    ("robertson", "main", ROBERTSON, {}, 40, 2, 100, 1e-9, None),
    ("ethane", "main", ETHANE, {}, 1, 0.05, 100, 1e-8, None),
    ("enzyme", "main", ENZYME, {}, 1, 0.05, 100, 1e-8, None),
    ("tanks", "tank", ONE_TANK, {}, 10, 0.2, 100, 1e-9, None),
    ("tanks", "main", TANKS, {}, 30, 0.5, 100, 1e-9, None),
    ("tanks", "narrow", TANKS, {"upper.c": 0.6, "lower.A": 0.7}, 30, 0.5, 100, 1e-9, None),
    ("coupled_pendulums", "driven", DRIVEN, {}, 10, 0.1, 50, 1e-9, None),
    ("coupled_pendulums", "beats", COUPLED, {}, 24, 0.4, 200, 1e-9, None),
    ("coupled_pendulums", "together", COUPLED, {"right.ang": 5.0}, 24, 0.4, 200, 1e-9, None),
    ("plant", "vessel", VESSEL, {}, 40, 1, 100, 1e-9, None),
    ("plant", "line", LINE, {}, 40, 1, 200, 1e-8, None),
    ("plant", "main", PLANT, {}, 40, 1, 200, 1e-8, None),
    ("van_der_pol", "main", VAN_DER_POL, {}, 200, 5, 100, 1e-8, None),
    ("sliding_pair", "main", Formula(sliding_pair), {}, 1, 0.02, 1, 1e-9, (1e-4, 1e-3)),
    ("loader", "main", Loader(), {}, 10, 0.1, 1, 1e-9, None),
    ("blood_cells", "main", BloodCells(), {}, 100, 2, 1000, 1e-8, None),
    ("blood_cells", "healthy", BloodCells(), {"tau": 6}, 100, 2, 1000, 1e-8, None),
    ("thermostat_row", "main", THERMOSTAT_ROW, {}, 4, 0.2, 100, 1e-9, (1e-3, 5e-2)),
    ("firing", "main", Firing(), {}, 6, 0.3, 1, 1e-9, None),
    ("heat", "main", Formula(heat), {}, 0.1, 0.005, 1, 1e-9, (5e-6, 1e-2)),
    ("medakzo", "main", MEDAKZO, {}, 20, 0.8, 100, 1e-6, None, "rodas5p"),
    ("competing_species", "50", COMPETING_SPECIES, {}, 2e-5, 1e-6, 10, 1e-8, None),
]


def compare_exact():
    """Compares the times of events with those of tests/data/exact/."""
    exact = lambda name: json.loads((HERE.parent / "tests/data/exact" / f"{name}.json").read_text())
    balls, slope = exact("sticky_balls")["cases"], exact("inclined_plane")["cases"]
    stand = exact("stand")["cases"]
    known = {
        "thermostat": {"main": [e["t"] for e in exact("micro")["hysteresis_thermostat"]["events"]]},
        "sticky_balls": {name: [e["t"] for e in case["events"]] for name, case in balls.items()},
        "slope_billiard": {name: [e["t"] for e in case["events"]] for name, case in slope.items()},
        "stand": {name: [e["t"] for e in case["analytic"]] for name, case in stand.items()},
        "obstacle_pendulum": {"main": [e["t"] for e in exact("pendulum_obstacle")["impacts"]]},
        "breaking_pendulum": {"main": [exact("pendulum_break")["break_time"]]},
        "saddle": {"main": [e["t"] for e in exact("saddle")["events"]]},
        "one_sided_ball": {"main": [e["t"] for e in exact("implicit")["bouncing_ball"]["bounces"]]},
        "implicit_ball": {"main": [e["t"] for e in exact("implicit")["bouncing_ball"]["bounces"]]},
    }
    worst, compared = 0.0, 0
    for folder, name, model, changes, stop, every, steps, *_ in EXACT_RUNS:
        times = known.get(folder, {}).get(name, [])
        _, events = model.run(changes, stop, every, steps) if times else ([], [])
        assert not times or min(len(times), len(events)) >= len([t for t in times if t < stop])
        for (found, _), time in zip(events, times):
            worst = max(worst, abs(found - time))
            compared += 1
    assert worst < 1e-8, worst
    return f"{compared} events in exact time agree, largest difference {worst:.2g}"


def exact_trajectory(model, changes, stop, every, steps, tolerance, ticks, method=None):
    """The text of a reference file of a run in exact time."""
    rows, _ = model.run(changes, stop, every, steps)
    head = ["# stepping events; made by scenarios/reference.py", f"# tolerance {tolerance:g}"]
    if ticks:
        head.append("# ticks of {:g} within {:g}".format(*ticks))
    if method:
        head.append(f"# method {method}")
    names = (f'"{name}"' if "," in name else name for name in rows[0][1])
    lines = [*head, ",".join(["time", *names])]
    for time, values in rows:
        lines.append(",".join(f"{float(value):.12g}" for value in (time, *values.values())))
    return "\n".join(lines) + "\n"


def main():
    check = sys.argv[1:] == ["--check"]
    print(compare_ticks())
    print(compare_exact())
    files = [(folder, name, trajectory(folder, *rest)) for folder, name, *rest in RUNS]
    files += [(folder, name, exact_trajectory(*rest)) for folder, name, *rest in EXACT_RUNS]
    for folder, name, text in files:
        path = HERE / folder / "reference" / f"{name}.csv"
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        elif path.read_text() != text:
            sys.exit(f"{path} differs")
    print(f"{len(files)} trajectories {'compared' if check else 'written'}")


if __name__ == "__main__":
    main()
