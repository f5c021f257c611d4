# Profile of a run: where its time goes.

profile-took = { $steps } in { $time }
    .evaluations = , { $evaluations } of the rates
    .pace = ; a second of work takes `time` on by { $pace }
profile-column-mode = mode: what holds
profile-column-steps = steps
profile-column-rejected = rejected
profile-column-evaluations = evaluations
profile-column-time = time
profile-column-share = share
profile-column-instant = at an instant
profile-column-times = times
profile-column-each = each
profile-column-real = real with the largest error
profile-column-in-steps = in steps
profile-column-in-rejected = in rejected trials
profile-column-rule = rule
profile-column-executed = executed
profile-nothing-named = nothing that has a name
profile-linear = linear systems: { $unknowns } unknowns{ $algebraic ->
        [0] {""}
       *[other] { " " }({ $algebraic } of them algebraic: solved for, not integrated)
    }, { $entries } entries of the Jacobian, solved by { $way }; operations of a factorisation with 20 solutions, estimated: { $each }
    .dense = dense factors
    .sparse = sparse factors
    .gmres = GMRES
    .work = { $way } { $work }
