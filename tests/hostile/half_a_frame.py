# kind: channel
# inside: worker_exit | protocol_violation
# outside: not run, since there is no channel
os.write(3, b'{"type":"done","value":"\xc3')
os._exit(0)
