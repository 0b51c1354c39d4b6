# kind: disk
# inside: ok
# outside: not run, since nothing can remove it
# A tree that no path reaches and no recursion removes.
for number in range(5000):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
os.mkdir("locked")
os.chmod("locked", 0)
