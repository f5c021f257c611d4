setting-no-step = the length of a tick is not given
setting-no-stop = the end of the run is not given
setting-not-positive = `{ $setting }` must be positive and finite, not { $value }
setting-not-multiple = `every` ({ $every }) is not a multiple of `step` ({ $step })
setting-too-many-ticks = a run to { $stop } in steps of { $step } has too many ticks
setting-not-in-ticks = a tick has no states inside it on which to locate by `{ $way }`; ticks take `none`, `linear` or `quadratic`
setting-rtol = the relative tolerance { $value } is not between 2.2e-15 and 1
setting-atol = the absolute tolerance `atol` = { $value } must be 0 or positive, and finite
setting-fixed-step = method `{ $method }` has a fixed step, and none is given: set `step` or `h0` (`--step`, `--h0`)
setting-h0 = the step `h0` = { $value } must be positive and finite
setting-limits = `hmin` = { $hmin } and `hmax` = { $hmax }: the shortest step must be 0 or positive, and finite, the longest positive and no shorter
