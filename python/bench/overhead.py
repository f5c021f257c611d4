"""What Python costs: `python python/bench/overhead.py`, at the root of the repository, with the module as released;
`overhead.py cluster` measures a sweep of a minute on two workers of Dask beside two threads (4 minutes).

Prints lines of `measure figure`. The run in Rust beside which a call stands is that of `cargo bench` (`hoop`); here it
is the same run again within one call, which is what a loop of them costs without Python (`Prepared.run` in a sweep).
"""

import subprocess
import sys
import threading
import time

import numpy as np

import situ


def best(work, times=5):
    """Seconds of the fastest of some repetitions."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def say(what, value, unit):
    print(f"{what:<60} {value:10.3g} {unit}", flush=True)


def main():
    hoop = situ.load("scenarios/hoop/table.ron")
    short = {"events": True, "stop": 0.001, "every": 1.0}
    hoop.run(**short)
    n = 2000
    call = best(lambda: [hoop.run(**short) for _ in range(n)]) / n
    ready = hoop._ready((None, (), (), None, False, None, False, False, tuple(short.items())))
    inside = best(lambda: [ready.run(None) for _ in range(n)]) / n
    say("a short run, called with keywords", call * 1e6, "us")
    say("of which in Python", (call - inside) * 1e6, "us")

    table = situ.loads('(format: 1, clock: (step: 0.000001, stop: 10), reals: {"x": 1}, relations: ["x = integral(-x)"])')
    run = table.run()
    try:
        import polars
    except ImportError:
        print("polars is not there")
    else:
        polars.DataFrame(run)
        say(f"{len(run)} rows of 2 columns into polars", best(lambda: polars.DataFrame(run)) * 1e3, "ms")
        shared = np.shares_memory(polars.DataFrame(run)["x"].to_numpy(), run["x"])
        say("copied", 0 if shared else 1, "")

    def imported(module):
        code = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
        return min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(5))

    say("import numpy", imported("numpy") * 1e3, "ms")
    say("import situ, numpy among it", imported("situ") * 1e3, "ms")
    say("import situ after numpy", imported("numpy, situ") * 1e3 - imported("numpy") * 1e3, "ms")

    runs = 2000

    def loop(count):
        for m in np.linspace(1, 5, count):
            hoop.run(set={"m": m}, events=True)

    one = best(lambda: loop(runs), 2)
    threads = [threading.Thread(target=loop, args=(runs // 2,)) for _ in range(2)]
    start = time.perf_counter()
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    two = time.perf_counter() - start
    say(f"{runs} runs of the hoop in a loop, each", one / runs * 1e6, "us")
    say("two threads beside one", one / two, "times")
    swept = best(lambda: hoop.sweep({"m": situ.grid(1, 5, runs)}, measure="max(h)", events=True, threads=1), 2)
    say("the same as a sweep on one thread, each", swept / runs * 1e6, "us")


def cluster():
    """A sweep on a local cluster of two processes beside the same on two threads."""
    import dask.distributed as dask

    hoop = situ.load("scenarios/hoop/table.ron")

    def swept(runs, **where):
        start = time.perf_counter()
        result = hoop.sweep({"m": situ.grid(1, 5, runs)}, measure="max(h)", events=True, **where)
        return time.perf_counter() - start, result

    runs = 4000
    runs = int(runs * 60 / swept(runs, threads=2)[0])
    with dask.Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        swept(100, client=client)
        (there, one), (here, other) = swept(runs, client=client), swept(runs, threads=2)
    say(f"{runs} runs on two threads", here, "s")
    say("two workers beside two threads", there / here, "times")
    say("results that differ", int((one["max(h)"] != other["max(h)"]).sum()), "")


if __name__ == "__main__":
    cluster() if sys.argv[1:] == ["cluster"] else main()
