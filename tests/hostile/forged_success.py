# kind: interpreter
# inside: worker_exit
# outside: not run, since it shows nothing there
print('{"schema":"weir.result/1","ok":true}', flush=True)
os._exit(0)
