# kind: limits
# inside: ok
# outside: not run, since it may starve others
import socket
kept = []
try:
    while len(kept) < 100000:
        kept += os.pipe()
except OSError:
    held("descriptors", len(kept))
else:
    broke("descriptors", len(kept))
try:
    import sqlite3
except (OSError, ImportError) as error:
    held("import", error.__class__.__name__)
