# kind: channel
# inside: ok | worker_exit | protocol_violation
# outside: not run, since there is no channel
# The host writes replies to a reader that has gone.
import socket
channel = socket.socket(fileno=3)
channel.shutdown(socket.SHUT_RD)
for number in range(5):
    os.write(3, b'{"type":"call","id":%d,"name":"echo","arguments":{}}\n'
             % number)
os.write(3, b'{"type":"done","value":1}\n')
libc.pause()
