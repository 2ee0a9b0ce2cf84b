"""gunicorn's configuration: one process per processor, each with half as many threads as the largest number of clients."""

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
    """Prints the peer's address for the benchmark, and stops when the input ends, which is when the benchmark ends."""
    host, port = server.LISTENERS[0].sock.getsockname()
    print(f"BASE_URL=http://{host}:{port}\nREADY", flush=True)

    def end():
        # Reads the descriptor directly: workers would inherit the lock of `sys.stdin` while this thread holds it.
        while os.read(0, 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=end, daemon=True).start()
