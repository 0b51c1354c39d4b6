# kind: memory
# inside: ok
# outside: not run, since it takes what there is
kept = []
size = 64 << 20
while size > 4096:
    try:
        kept.append(bytearray(size))
    except MemoryError:
        size //= 2
print(sum(map(len, kept)) >> 20)
del kept
if "{INSIDE}" == "1":
    attempt("shared memory", lambda: __import__("mmap").mmap(-1, 1 << 40))
