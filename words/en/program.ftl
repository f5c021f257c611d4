# What the program says besides reports: files, options, runs.

program-lists-codes = `situ explain` lists all codes
program-did-you-mean = did you mean `{ $near }`?
program-no-code = there is no code `{ $code }`; { $hint }
program-not-formatted = { $path } is not formatted
program-cannot-format = { $path } cannot be formatted: its meaning would change; nothing is written
program-names-no-file = { $name } names no file
program-exists-already = { $path } exists already
program-no-procedure = there is no procedure `{ $name }`; { $hint }
program-nothing-to-expand = the table has neither families, parts, machines nor reactions: it is shown as it stands
program-no-browser = no browser could be opened: open the address above in one
program-neither-folder-nor-table = { $name } is neither a folder nor a table
program-greeting = situ: `help` lists the commands, Tab completes, Ctrl-D quits
program-needs-events = { $option } belongs to event stepping; add --events
program-no-exercise = the table has no exercise: add `lab: (predict: {"{"}..{"}"})`
program-resume-needs = --resume needs the file of the sweep: --out FILE
program-ran = { $ran } runs
program-ran-more = { $ran } runs more, { $all } in all
program-nothing-drawn = nothing is drawn: no measure has two values
program-varies-twice = `{ $name }` is to vary in two ways
program-not-sampled = to sample from a distribution, say how often: --runs N
program-nothing-sampled = --runs says how often distributions are sampled, and there is none: --over 'NAME~normal(3,0.1)'
