# kind: disk
# inside: ok
# outside: not run, since it fills the disk
total = 0
for place in (".", "/dev/shm", "/tmp", "/var/tmp"):
    for number in range(100):
        try:
            with open("%s/{MARK}%d" % (place, number), "wb", 0) as file:
                while True:
                    total += file.write(b"x" * 65536)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                break
print(total >> 20)
if total > 256 << 20:
    broke("disk", total)
