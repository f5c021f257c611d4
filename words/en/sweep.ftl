# Sweeps: what varies, files of runs.

sweep-being-written = `{ $name }` is being written by another sweep: process { $holder }
sweep-other = { $name } belongs to another sweep: { $why }; give another name, or leave out --resume
    .unnamed = it does not name its table and settings
    .version = situ { $there } has written it, and this is { $here }
    .table = the table was different
    .settings = the settings were different
    .both = the table and the settings were different
    .values = its run { $run } has other values
    .no-number = `{ $text }` in column `{ $column }` of its run { $run } is not a number
    .more = it has more runs than the { $all } of this one
    .columns = the columns are different
    .lines = the lines have different columns
    .order = its runs are out of order
sweep-column =
    .run = number of the run
    .time = when the run ended
    .ended = how the run ended
    .fault = why the run failed
    .row-time = time of the row
sweep-no-whole-run = cannot read { $name }: no run in it is whole
sweep-not-parquet = trajectories are written as Parquet: give { $name } the ending .parquet
sweep-no-threads = threads cannot be started: { $error }
sweep-interrupted = interrupted after { $n } of { $all } runs
    .resume = interrupted after { $n } of { $all } runs; --resume continues it
    .unchanged = interrupted after { $n } of { $all } runs; { $path } is unchanged, --resume continues it
sweep-sizes-vary = `{ $name }` gives the runs different sizes, so that their rows have different columns: leave out `--trajectories`, or do not vary it
sweep-no-values = `{ $name }` has no finite values
sweep-no-distribution = there is no distribution `{ $name }`; there are { $forms }
    .near = there is no distribution `{ $name }`; did you mean `{ $near }`?
    .meaning = the distribution of `{ $name }` has no meaning: a deviation is positive, and the ends are in order
sweep-no-lines = { $name } has no lines of values
sweep-uneven-line =
    { $n ->
        [one] this line has { $n } value
       *[other] this line has { $n } values
    }, and the first line { $wanted ->
        [one] { $wanted } name
       *[other] { $wanted } names
    }
sweep-failed = { $n } of { $runs } runs failed; the first is run { $first }: { $why }
sweep-axis =
    .no-values = axis { $axis } has no finite values
    .no-distribution = the distribution of axis { $axis } has no meaning
    .not-sampled = a distribution needs a number of runs
    .nothing-drawn = no axis has a distribution to draw from
    .too-many-drawn = { $drawn } values are to be drawn, at most { $most } can be
    .too-many-rows = there are more runs than can be counted
    .uneven-row = row { $row } has another number of values
sweep-over =
    .nothing-varies = `{ $text }` says neither values nor a distribution: 'K=1..5/9', 'K=1,2,5' or 'K~normal(3,0.1)'
    .not-a-truth = `{ $name }` is a switch: its values are true and false (or 1 and 0), not `{ $text }`
    .no-points = `{ $text }` lacks the number of points: { $text }/9; to draw from it: ~uniform({ $from },{ $to })
    .points = `{ $text }`: the number of points is a whole number from 1 to { $most }
    .one-point = `{ $text }`: both ends are among the points, so that there are at least 2
    .not-a-distribution = `{ $text }` is no distribution; there are { $forms }
    .arguments = `{ $text }` has another number of arguments than { $form }
    .not-a-number = `{ $text }` is not a number
