"""5 A run by hand: step, look, change, go back (no callbacks: the loop is yours)."""

import situ

hoop = situ.load("scenarios/hoop/table.ron")
changed = 0
with hoop.start(events=True) as live:
    while live.next_event():
        if live["Vy"] < -500:
            live["Vy"] = -500
            changed += 1
    live.goto(0.5)
    live.branch("slow")
    assert live.time == 0.5

assert changed > 0
