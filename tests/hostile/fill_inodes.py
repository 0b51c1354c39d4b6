# kind: disk
# inside: ok
# outside: not run, since it fills the disk
made = 0
try:
    while made < 100000:
        os.symlink("x", "{MARK}%d" % made)
        made += 1
except OSError as error:
    held("inodes", made)
else:
    # Where they are only watched, the end comes a moment later.
    import time
    time.sleep(5)
    broke("inodes", made)
