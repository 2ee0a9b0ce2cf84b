"""How the peer is served: a process per processor, each with as many threads as half of the most clients."""

import os
import signal
import threading

bind = "127.0.0.1:0"
workers = 2
worker_class = "gthread"
threads = 16
keepalive = 60
loglevel = "warning"
control_socket_disable = True


def when_ready(server):
    """Prints the peer's address for the benchmark, and ends with it: when the input does."""
    host, port = server.LISTENERS[0].sock.getsockname()
    print(f"BASE_URL=http://{host}:{port}\nREADY", flush=True)

    def end():
        # Not by `sys.stdin`: workers would inherit its lock as this thread holds it.
        while os.read(0, 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=end, daemon=True).start()
