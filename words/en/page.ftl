# What the server of the page says. Reasons to close a socket are short: at most 123 bytes.

page-taken-over = another page has this session
page-no-text = messages are text
page-not-understood = the message is not understood
page-no-protocol = this breaks the protocol
page-too-long = the message is too long
page-too-fast = too many messages wait
page-session-over = the session has ended
page-session-failed = the session has failed
page-session-ended = the session was ended
page-answer-too-long = the answer is too long; ask for less
page-too-many = too many sessions are open: close a page, and come back in a minute
page-no-more = the system gives no more sessions
page-folder-gone = the folder is gone
page-not-that-host = this is not that host
page-other-site = a page of another site asks
page-needs-address = this page needs the address that `situ open` has printed
page-no-file = there is no such file
page-not-a-file = it is no file
page-file-too-long = it is too long
page-outside = it lies outside of the folder that was opened
page-changed = this session has not read what stands there now; give another name, or `reload` if it is the table of the session
page-cannot-write = { $what } cannot write `{ $path }`: { $error }
page-would-write-over = { $what } would write over `{ $path }`, which is read
