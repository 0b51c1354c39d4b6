# kind: output
# inside: ok
# outside: not run, since it shows nothing there
# One stream full while the other is quiet, then the reverse.
for number in (2, 1, 2):
    for _ in range(64):
        os.write(number, b"." * 65536)
