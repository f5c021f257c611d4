# Columns that are asked for by name, and files of them.

columns-unknown = there is no column `{ $name }`; there are { $known }
    .near = there is no column `{ $name }`; did you mean `{ $near }`?
columns-no-axis = `{ $name }` is true or false, an axis needs numbers
columns-no-family = there is no family `{ $name }`; there are `{ $shown }`
    .near = there is no family `{ $name }`; did you mean `{ $near }`?
    .none = there is no family `{ $name }`: no quantity has an index
columns-not-in-model = the model has no `{ $name }`
    .near = the model has no `{ $name }`; did you mean `{ $near }`?
columns-name-missing = a name is missing
columns-open-backtick = a backtick is not closed
columns-colon = `{ $text }`: a name with a colon stands between backticks
columns-file-empty = the file is empty
columns-width = line { $line } has { $found }, the header has { $expected }
columns-not-a-number = line { $line }, column `{ $column }`: `{ $text }` is not a number
columns-time = line { $line }: `time` must be a number not less than in the line before
columns-encoding = line { $line } is not text in UTF-8
columns-twice = two columns are called `{ $name }`
columns-separated =
    .semicolons = the columns are separated by semicolons, not by commas
    .tabs = the columns are separated by tabs, not by commas
columns-header-numbers = the first line holds numbers, not the names of columns
columns-first-column = the first column is `{ $first }`, not `time`
