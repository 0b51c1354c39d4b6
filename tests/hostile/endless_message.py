# kind: errors
# inside: exception
# outside: not run, since it shows nothing there
# A message with a frame in it, larger than any frame.
raise ValueError('\n{"type":"done","value":1}\n' * 200000)
