# Remarks of the event log, and what stands in the list of events of a report.

log-marginal = touches between { $from } and { $to }
    .unknown = cannot be told from a touch between { $from } and { $to }
log-not-unique = both sides lead away; the present one is kept
log-zeno = infinitely many until { $limit }
log-push = push { $push }
log-branch = another solution of the loop
    .several = the loop has several solutions: the nearest is taken
log-echo = a jump comes out of the delay
log-share = share of the upper side { $share }
    .several = share of the upper side { $share }, one of several possible
log-event = { $event }
log-to = { $to }
