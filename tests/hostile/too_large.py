# kind: values
# inside: output_limit
# outside: not run, since it shows nothing there
return ["\x01" * 1000000] * 30
