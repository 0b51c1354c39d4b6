# kind: output
# inside: timeout
# outside: not run, since it does not end
block = b"x" * (1 << 20)
while True:
    os.write(1, block)
