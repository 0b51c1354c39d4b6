# kind: values
# inside: invalid_value
# outside: not run, since it shows nothing there
return [1.5, float("nan")]
