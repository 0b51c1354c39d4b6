# kind: crash
# inside: signal 9
# outside: not run, since it kills itself
print("last words", flush=True)
os.kill(os.getpid(), 9)
