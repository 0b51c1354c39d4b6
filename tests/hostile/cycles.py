# kind: values
# inside: invalid_value
# outside: not run, since it shows nothing there
value = {"a": [1]}
value["a"].append(value)
return value
