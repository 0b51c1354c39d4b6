# kind: values
# inside: invalid_value
# outside: not run, since it shows nothing there
value = []
for _ in range(100000):
    value = [value]
return value
