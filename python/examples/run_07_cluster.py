"""7 The same on a cluster."""

import dask.distributed
import situ

if __name__ == "__main__":
    hoop = situ.load("scenarios/hoop/table.ron")
    over = {"m": situ.uniform(1, 5), "h": situ.normal(400, 10)}
    with dask.distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        result = hoop.sweep(over, measure=["max(h)"], runs=200, events=True, client=dask.distributed.Client(cluster))
    assert result == hoop.sweep(over, measure=["max(h)"], runs=200, events=True)
