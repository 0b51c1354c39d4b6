# kind: time
# inside: timeout
# outside: not run, since it stops itself
print("last words", flush=True)
os.kill(os.getpid(), 19)
