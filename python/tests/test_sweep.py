"""Sweeps: here, slice by slice, on a cluster."""

import os
import pickle
import signal
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT

import situ

OVER = {"m": situ.uniform(1, 5), "h": situ.normal(400, 10)}
HOW = {"measure": ["max(h)", "first(contact)"], "runs": 40, "events": True, "stop": 2, "seed": 7}


def test_rows_are_those_of_the_program(hoop, tmp_path):
    out = tmp_path / "out.csv"
    command = [sys.executable, "-m", "situ", "sweep", "scenarios/hoop/table.ron", "--events", "--stop", "2", "--quiet"]
    command += ["--over", "m~uniform(1,5)", "--over", "h~normal(400,10)", "--runs", "40", "--seed", "7"]
    command += ["--measure", "max(h)", "--measure", "first(contact)", "--out", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = [line for line in out.read_text().splitlines() if not line.startswith("#")]
    result = hoop.sweep(OVER, **HOW)
    assert rows[0].split(",")[: len(result.names)] == result.names
    for row, line in enumerate(rows[1:]):
        cells = line.split(",")
        for place, name in enumerate(result.names[:6]):
            assert float(cells[place]) == result[name][row]


def test_threads_and_slices_have_the_same_bits(hoop):
    one = hoop.sweep(OVER, **HOW, threads=1)
    assert hoop.sweep(OVER, **HOW, threads=2) == one
    for size in (1, 7, 100):
        results = [situ.run_slice(piece) for piece in situ.slices(hoop, OVER, size=size, **HOW)]
        assert situ.join(results) == one
    assert pickle.loads(pickle.dumps(one)) == one and hash(one) == hash(hoop.sweep(OVER, **HOW))


def test_missing_rows_are_named(hoop):
    results = [situ.run_slice(piece) for piece in situ.slices(hoop, OVER, size=2, **HOW)]
    for some in (results[1:], results[:-1], results[:1] + results[2:], []):
        with pytest.raises(ValueError, match="missing|no results"):
            situ.join(some)


def test_a_row_is_the_run_with_its_values(hoop):
    result = hoop.sweep({"m": [1, 2], "K_braking": situ.grid(7000, 9000, 3)}, measure="max(def)", events=True, stop=2)
    assert len(result) == 6 and result["K_braking"].tolist() == [7000, 8000, 9000] * 2
    for row in range(6):
        given = {name: result[name][row] for name in ("m", "K_braking")}
        assert hoop.run(set=given, measure="max(def)", events=True, stop=2).measures["max(def)"] == result["max(def)"][row]


@pytest.mark.parametrize("kind", ["dict", "masked", "strided", "integers", "misaligned"])
def test_arrays_of_any_kind_vary(hoop, kind):
    values = np.array([300.0, 400.0])
    given = {
        "dict": values.tolist(),
        "masked": np.ma.masked_array(values, [False, False]),
        "strided": np.array([300.0, 0.0, 400.0])[::2],
        "integers": np.array([300, 400], dtype=np.int32),
        "misaligned": np.frombuffer(b"x" + values.tobytes(), dtype=np.uint8)[1:].view(np.float64) if kind == "misaligned" else None,
    }.get(kind)
    result = hoop.sweep({"h": given}, measure="max(h)", stop=1)
    assert result["max(h)"].tolist() == [300, 400]


def test_frames_vary(hoop):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"m": [1.0, 2.0, 3.0], "h": [100, 200, 300]})
    result = hoop.sweep(frame, measure="max(h)", events=True, stop=1)
    assert result["h"].tolist() == [100, 200, 300] and result["m"].tolist() == [1, 2, 3]
    pieces = list(situ.slices(hoop, frame, size=2, measure="max(h)", events=True, stop=1))
    assert situ.join(map(situ.run_slice, pieces)) == result


@pytest.mark.parametrize(
    ("over", "keywords", "error", "said"),
    [
        ({"mm": [1]}, {}, KeyError, "did you mean `m`"),
        ({"m": []}, {}, ValueError, "`m` has no finite values"),
        ({"m": [float("nan")]}, {}, ValueError, "`m`"),
        ({"m": np.ma.masked_array([1.0, 2.0], [True, False])}, {}, ValueError, "`m`"),
        ({"m": "1..5/9"}, {}, TypeError, "`m` varies by"),
        ({"m": situ.uniform(1, 5)}, {}, ValueError, "runs=1000"),
        ({"m": [1, 2]}, {"runs": 5}, ValueError, "there is none"),
        ({"m": situ.normal(1, -1)}, {"runs": 5}, ValueError, "deviation is positive"),
        ({"m": situ.uniform(1, 2)}, {"runs": 0}, ValueError, "`runs`"),
        ({"m": situ.uniform(1, 2)}, {"runs": 5, "sample": "lattin"}, ValueError, "latin"),
        ({}, {}, ValueError, "nothing varies"),
        (3, {}, TypeError, "a frame"),
        ({"contact": [True]}, {}, ValueError, "follows from other values"),
        ({"m": [10**400]}, {}, TypeError, "`m` varies by numbers"),
        ({"m": [1, 2]}, {"threads": 10**6}, ValueError, "`threads` is a whole number from 1 to 1024"),
        ({"m": [1, 2]}, {"engine": 1}, TypeError, "`engine` is auto, interpreter or native"),
        ({"m": [1, 2]}, {"case": 1}, TypeError, "`case` is the name of a case"),
    ],
)
def test_what_is_wrong_is_said(hoop, over, keywords, error, said):
    with pytest.raises(error) as raised:
        hoop.sweep(over, **keywords)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("made", "error", "said"),
    [
        (lambda: situ.uniform(0, float("inf")), ValueError, "`high` of `uniform` is a finite number, not inf"),
        (lambda: situ.normal(float("nan"), 1), ValueError, "`mean` of `normal` is a finite number, not nan"),
        (lambda: situ.grid(0, 10**400, 3), ValueError, "`high` of `grid` is a finite number"),
        (lambda: situ.triangular(0, "x", 2), TypeError, "`mode` of `triangular` is a number, not 'x'"),
    ],
)
def test_distributions_have_finite_numbers(made, error, said):
    with pytest.raises(error) as raised:
        made()
    assert said in str(raised.value)


def test_a_frame_has_a_column_for_each_quantity(hoop):
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="`m` is to vary in two ways"):
        hoop.sweep(pandas.DataFrame([[1, 2, 3]], columns=["m", "h", "m"]), measure="max(h)", stop=1)


def test_columns_have_names_of_their_own(tmp_path):
    table = situ.loads(
        '(format: 1, clock: (step: 0.1, stop: 1), constants: {"run": 1, "fault": 1}, reals: {"x": 0, "ended": 1},'
        ' relations: ["x = integral(run)", "ended = integral(fault)"])'
    )
    over = {"run": [5, 6], "ended": [7], "fault": [8]}
    result = table.sweep(over, measure="final(x)")
    assert result.names[:4] == ["run", "constant run", "start ended", "constant fault"]
    assert result["run"].tolist() == [1, 2] and result["constant run"].tolist() == [5, 6] and result.failed == 0
    assert result["ended"].tolist() == ["stop"] * 2 and result["start ended"].tolist() == [7, 7]
    assert table.sweep(over, measure="final(x)", out=tmp_path / "runs.csv") == 2
    assert (tmp_path / "runs.csv").read_text().startswith("run,constant run,start ended,constant fault,final(x),")


def test_what_was_read_is_not_written_over(tmp_path):
    base, more = tmp_path / "base.ron", tmp_path / "more.ron"
    base.write_text('(format: 1, clock: (step: 0.1, stop: 1), constants: {"k": 1}, reals: {"x": 1}, relations: ["x = integral(-k)"])')
    more.write_text('(format: 1, extends: "base.ron")')
    (tmp_path / "link.csv").symlink_to(base)
    table = situ.load(more)
    texts = [path.read_text() for path in (base, more)]
    for out in (base, more, tmp_path / "link.csv", tmp_path / "." / "more.ron"):
        for resume in (False, True):
            with pytest.raises(ValueError, match="`out` would write over .*, which the table was read from"):
                table.sweep({"k": [1, 2]}, measure="final(x)", out=out, resume=resume)
        for picture in (table.run().plot(), table.sweep({"k": [1, 2]}, measure="final(x)").plot()):
            with pytest.raises(ValueError, match="`save` would write over"):
                picture.save(out)
    assert [path.read_text() for path in (base, more)] == texts
    table.run().plot().save(tmp_path / "run.svg")
    assert table.sweep({"k": [1, 2]}, measure="final(x)", out=tmp_path / "runs.csv") == 2


def test_a_sweep_without_results_has_its_columns(hoop, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(situ._sweep.Bar, "at", interrupted)
    with pytest.raises(KeyboardInterrupt) as raised:
        hoop.sweep({"m": [1, 2]}, measure="max(h)", stop=1)
    assert "max(h)" in raised.value.result.names
    empty = situ._sweep.Sweep(hoop._study({"m": [1, 2]}, None, "latin", 0, "max(h)", None, None, None, {}).joined().finish(), False)
    assert len(empty) == empty.failed == 0 and empty["max(h)"].tolist() == []
    assert repr(empty) == "0 runs"


def test_damage_order_and_versions_are_noticed(hoop):
    pieces = list(situ.slices(hoop, {"h": [1, 2, 3]}, size=1, measure="max(h)", stop=1))
    results = [situ.run_slice(piece) for piece in pieces]
    with pytest.raises(ValueError, match="damaged"):
        situ.run_slice(pieces[0][:-1] + b"?")
    with pytest.raises(ValueError, match="no slice"):
        situ.run_slice(b"")
    with pytest.raises(ValueError, match="missing"):
        situ.join([results[0], results[2]])
    other = situ.run_slice(next(situ.slices(hoop, {"h": [7]}, measure="max(h)", stop=1)))
    with pytest.raises(ValueError, match="two sweeps"):
        situ.join([results[0], other])
    import hashlib

    payload = pieces[0][40:].replace(f'"version":"{situ.__version__}"'.encode(), b'"version":"9.9.9"')
    foreign = pieces[0][:8] + hashlib.sha256(payload).digest() + payload
    with pytest.raises(situ.VersionError, match=f"9.9.9.*{situ.__version__}"):
        situ.run_slice(foreign)


def test_runs_that_fail_say_why():
    table = situ.loads('(format: 1, clock: (step: 0.1, stop: 1), constants: {"k": 1}, reals: {"y": 0}, relations: ["y = 1 / k"])')
    result = table.sweep({"k": [1, 0, 2]}, measure="final(y)")
    assert result.failed == 1 and result["ended"].tolist() == ["stop", "failed", "stop"]
    assert result["fault"][1] and np.isnan(result["final(y)"][1]) or result["fault"][1]


def test_ctrl_c_keeps_what_is_finished():
    code = (
        "import situ, threading, _thread\n"
        "hoop = situ.load('scenarios/hoop/table.ron')\n"
        "threading.Timer(1.5, _thread.interrupt_main).start()\n"
        "try:\n"
        "    hoop.sweep({'m': situ.uniform(1, 5)}, runs=1_000_000, sample='random', measure='max(h)', events=True)\n"
        "except KeyboardInterrupt as stopped:\n"
        "    print(0 < len(stopped.result) < 1_000_000)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "True", done.stderr


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            yield client


def test_a_cluster_has_the_same_bits(hoop, cluster):
    assert hoop.sweep(OVER, **HOW, client=cluster, slice=3) == hoop.sweep(OVER, **HOW)
    frame = {"h": [300.0, 400.0, 500.0]}
    assert hoop.sweep(frame, measure="max(h)", stop=1, client=cluster) == hoop.sweep(frame, measure="max(h)", stop=1)


def test_a_worker_that_is_killed_loses_nothing(hoop, cluster):
    how = {**HOW, "runs": 2000}
    pids = list(cluster.run(os.getpid).values())
    killed = []
    parts = []
    from situ import _sweep

    study = hoop._study(OVER, 2000, "latin", 7, how["measure"], None, None, None, {"events": True, "stop": 2})
    for part in _sweep.on_cluster(study, cluster, 100):
        parts.append(part)
        if len(parts) == 3:
            os.kill(pids[0], signal.SIGKILL)
            killed.append(pids[0])
    assert killed and situ.join(parts) == hoop.sweep(OVER, **how)


def test_a_sweep_goes_on_in_its_file(hoop, tmp_path):
    out = tmp_path / "out.csv"
    whole = hoop.sweep(OVER, **HOW)
    assert hoop.sweep(OVER, **HOW, out=out) == 40
    text = out.read_text()
    lines = text.splitlines(keepends=True)
    # Broken off in the middle of a line.
    out.write_text("".join(lines[:15]) + lines[15][:9])
    assert hoop.sweep(OVER, **HOW, out=out, resume=True) == 40 and out.read_text() == text
    assert hoop.sweep(OVER, **HOW, out=out, resume=True) == 40
    cells = [line.split(",") for line in text.splitlines()[1:]]
    assert [float(row[1]) for row in cells] == whole["m"].tolist()
    with pytest.raises(ValueError, match="another sweep"):
        hoop.sweep(OVER, **{**HOW, "seed": 8}, out=out, resume=True)
    with pytest.raises(ValueError, match="out="):
        hoop.sweep(OVER, **HOW, resume=True)


def test_files_are_those_of_the_program(hoop, tmp_path):
    """CSV and Parquet, from threads, from slices of another size, and after Ctrl-C."""
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "out.parquet"
    whole = hoop.sweep(OVER, **HOW)
    assert hoop.sweep(OVER, **HOW, out=out, threads=2) == 40
    table = parquet.read_table(out)
    assert table.column_names == whole.names
    for name in whole.names[:6]:
        values = table[name].to_numpy(zero_copy_only=False)
        assert np.array_equal(values, whole[name], equal_nan=True)
    assert hoop.sweep(OVER, **HOW, out=tmp_path / "out.csv") == 40
    command = [sys.executable, "-m", "situ", "sweep", "scenarios/hoop/table.ron", "--events", "--stop", "2", "--quiet"]
    command += ["--over", "m~uniform(1,5)", "--over", "h~normal(400,10)", "--runs", "40", "--seed", "7"]
    command += ["--measure", "max(h)", "--measure", "first(contact)", "--out", str(tmp_path / "program.csv")]
    assert subprocess.run(command, cwd=ROOT).returncode == 0
    text = (tmp_path / "out.csv").read_text()
    assert (tmp_path / "program.csv").read_text() == text
    # The program goes on where Python was broken off, and Python where the program was.
    begun = "".join(text.splitlines(keepends=True)[:15])
    (tmp_path / "program.csv").write_text(begun)
    assert subprocess.run([*command, "--resume"], cwd=ROOT).returncode == 0
    assert (tmp_path / "program.csv").read_text() == text
    # How it is asked for does not matter: the path of the table, what it has anyway, values of other types.
    (tmp_path / "program.csv").write_text(begun)
    same = situ.load(ROOT / "scenarios/hoop/table.ron")
    how = {**HOW, "runs": np.int64(40), "seed": np.float64(7), "set": {"K_braking": 8000}}
    assert same.sweep(OVER, **how, out=tmp_path / "program.csv", resume=True) == 40
    assert (tmp_path / "program.csv").read_text() == text


def test_a_file_goes_on_after_it_was_broken_off(hoop, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "out.parquet"
    how = {**HOW, "runs": 400}
    study = hoop._study(OVER, 400, "latin", 7, how["measure"], None, None, None, {"events": True, "stop": 2})
    file = study.file(str(out), False)
    pieces = list(hoop.slices(OVER, size=100, **how))
    with pytest.raises(ValueError, match="does not follow"):
        file.add(situ.run_slice(pieces[1]))
    assert file.add(situ.run_slice(pieces[0])) == 100
    with pytest.raises(ValueError, match="is being written by another sweep"):
        hoop.sweep(OVER, **how, out=out)
    file.close()
    assert hoop.sweep(OVER, **how, out=out, resume=True) == 400
    assert parquet.read_table(out)["max(h)"].to_pylist() == hoop.sweep(OVER, **how)["max(h)"].tolist()


CHAIN = """(
    format: 1, name: "chain", clock: (step: 0.01, stop: 1, stepping: events),
    constants: {"N": 2, "M": "2 * N", "k": 1},
    counters: {"j": "1 .. M"},
    reals: {"x[j]": "j", "total": 0},
    relations: ["[1] x[j] = integral(-k * x[j])", "[2] total = sum(x[j] for j)"],
)"""


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"runs": 2.5}, "`runs` is a whole number from 1 on, not 2.5"),
        ({"runs": np.nan}, "`runs` is a whole number"),
        ({"runs": 3, "seed": -1}, "`seed` is a whole number from 0 on, not -1"),
        ({"runs": 3, "seed": 1.5}, "`seed` is a whole number"),
        ({"runs": 3, "seed": 2**64}, "`seed` is a whole number"),
    ],
)
def test_numbers_of_a_sweep_are_whole(hoop, how, said):
    with pytest.raises(ValueError, match=said):
        hoop.sweep({"m": situ.uniform(1, 5)}, stop=0.1, **how)


def test_a_sweep_has_rows(hoop):
    for points in (0, 1.5, np.nan, np.inf):
        with pytest.raises(ValueError, match="the number of points is a whole number"):
            situ.grid(0, 1, points)
    for size in (-1, 0, 1.5):
        with pytest.raises(ValueError, match="the size of a slice is a whole number"):
            list(hoop.slices({"m": [1, 2]}, size=size))
    empty = pytest.importorskip("pandas").DataFrame({"m": []})
    with pytest.raises(ValueError, match="no rows"):
        hoop.sweep(empty, stop=0.1)


def test_sizes_of_families_vary():
    chain = situ.loads(CHAIN)
    result = chain.sweep({"N": [1, 4, 2], "k": [1, 3]}, measure="final(total)")
    known = [n * (2 * n + 1) * np.exp(-k) for n in (1, 4, 2) for k in (1, 3)]
    assert np.allclose(result["final(total)"], known, rtol=1e-5) and result.failed == 0
    pieces = situ.slices(chain, {"N": [1, 4, 2], "k": [1, 3]}, size=2, measure="final(total)")
    assert situ.join([situ.run_slice(piece) for piece in pieces]) == result
    for row, (n, k) in enumerate((n, k) for n in (1, 4, 2) for k in (1, 3)):
        run = chain.run(set={"N": n, "k": k}, measure="final(total)")
        assert run.measures["final(total)"] == result["final(total)"][row]
        assert f"x[{2 * n}]" in run.names
    missing = chain.sweep({"N": [1, 2]}, measure="final(x[4])")
    assert missing.failed == 1 and "`x[4]` lies outside of `x`" in missing["fault"][0]
    assert "final(total)" in chain.sweep({"N": [1, 2]}).names
