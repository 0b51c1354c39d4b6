# kind: channel
# inside: ok
# outside: not run, since there is no channel
# Two answers and more: the first one counts.
os.write(3, b'{"type":"done","value":"first"}\n'
            b'{"type":"done","value":"second"}\n')
while True:
    try:
        os.write(3, b'{"type":"log"}\n' * 1000)
    except OSError:
        libc.pause()
