# kind: values
# inside: invalid_value
# outside: not run, since it shows nothing there
return {"key": ["ok", "\ud800"]}
