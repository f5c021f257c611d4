edit-not-a-table = the text is not a table
edit-no-entry = there is no such entry
edit-holds-comment = a row that holds `/*` or `*/` cannot be set aside
