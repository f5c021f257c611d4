"""Makes the reference trajectories of the scenarios, independently of situ.

    python3 scenarios/reference.py            compares with tests/data/tick.json, then writes
                                              scenarios/NAME/reference/CASE.csv
    python3 scenarios/reference.py --check    compares with tests/data/tick.json and with the files

Needs Python 3 and nothing else. The tables of the paper are transcribed once more, row by row, and
run by a direct reading of the rules of a tick (`Table.tick`); no table file of situ is read. A file
holds some rows of a run (the step stands in its head), all reals and booleans. A boolean stands as
its tick found it; an event is 1 if it fired since the row before. Values are rounded to 12 digits;
who compares should allow the tolerance in the head, relative plus that part of the largest value
of the column.
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

ELASTIC_THREAD = PENDULUM.extended(
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

ELASTIC_THREAD_C_F = ELASTIC_THREAD.extended(
    replace=[row("14", "dL", "proportional", "c", "Ften")],
)

CART = ELASTIC_THREAD.extended(
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
    ("elastic_thread", "table.ron"): ELASTIC_THREAD,
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


def main():
    check = sys.argv[1:] == ["--check"]
    print(compare_ticks())
    for folder, name, table, changes, step, stop, every in RUNS:
        text = trajectory(folder, table, changes, step, stop, every)
        path = HERE / folder / "reference" / f"{name}.csv"
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        elif path.read_text() != text:
            sys.exit(f"{path} differs")
    print(f"{len(RUNS)} trajectories {'compared' if check else 'written'}")


if __name__ == "__main__":
    main()
