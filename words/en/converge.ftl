# Convergence of runs with ever smaller steps or tolerances.

converge-nothing = Nothing changes any more: only rounding is left.
converge-not = `{ $name }` does not converge: dividing `{ $setting }` by { $by } leaves its change as large as it was.
    .rounded = The times of events are rounded to ticks; --events locates them.
converge-all = All converge; `{ $name }` the slowest: dividing `{ $setting }` by { $by } divides its error by { $divided }.
converge-events = The runs do not have equally many events: { $counts }.
converge-column-changes = changes from run to run
converge-column-order = order
converge-column-error = error of the last
converge-too-small = { $error }; take fewer --runs, or begin with a larger --rtol
