# A relay as one would first write it, as a baseline for memory: runs an agent,
# appends its lines to a log with a number and a time, and reports the length
# of the log to clients of a unix socket.
#
#   relay_baseline.py FOLDER COMMAND…
import os
import selectors
import socket
import subprocess
import sys
import time

folder, command = sys.argv[1], sys.argv[2:]
agent = subprocess.Popen(command, stdout=subprocess.PIPE)
listener = socket.socket(socket.AF_UNIX)
listener.bind(os.path.join(folder, "relay.sock"))
listener.listen()
selector = selectors.DefaultSelector()
selector.register(agent.stdout, selectors.EVENT_READ)
selector.register(listener, selectors.EVENT_READ)
log = open(os.path.join(folder, "log"), "wb", 0)
clients, number, rest, chunk = [], 0, b"", b"-"
while chunk:
    for key, _ in selector.select():
        if key.fileobj is listener:
            clients.append(listener.accept()[0])
            continue
        chunk = agent.stdout.read1(131072)
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            number += 1
            log.write(b"%d %d out %s\n" % (number, time.time_ns() // 1000, line))
        for client in clients:
            client.sendall(b"%d\n" % log.tell())
agent.wait()
