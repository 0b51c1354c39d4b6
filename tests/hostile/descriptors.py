# kind: descriptors
# inside: ok
# outside: breaks
# Everything that is open beside the three streams and the channel.
for number in range(4096):
    try:
        kind = os.fstat(number).st_mode >> 12
    except OSError:
        continue
    if number > 3 or number == 3 and kind != 0o14:
        broke("descriptor", number)
