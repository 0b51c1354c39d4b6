# kind: output
# inside: exception
# outside: not run, since it shows nothing there
print("last words", flush=True)
for number in (0, 1, 2):
    os.close(number)
again = [os.open("/dev/null", os.O_RDWR), *os.pipe()]
os.write(again[2], b"into nothing")
print("x" * 100000)
raise RuntimeError("nowhere to tell")
