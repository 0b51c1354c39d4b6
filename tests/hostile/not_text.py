# kind: output
# inside: ok
# outside: not run, since it shows nothing there
os.write(1, bytes(range(256)) + b"\xf0\x9f\x98" + "\u202e\u2028".encode())
os.write(2, b"\x1b]0;title\x07\x1b[2J\0\xff" * 10)
