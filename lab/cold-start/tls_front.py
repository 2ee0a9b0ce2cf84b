"""A TLS server in front of a plain HTTP server. Its certificate chain is like those of AWS: 2048-bit RSA, an
intermediate and a root. Clients trust only the root."""

import asyncio
import ssl
import subprocess
import tempfile
import threading
import urllib.parse
from contextlib import contextmanager
from pathlib import Path
from queue import Queue

CERTIFICATES = """
set -e
key() { openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out "$1.key"; }
key root && key issuer && key leaf
openssl req -x509 -key root.key -subj "/CN=Root of a benchmark" -days 2 -addext keyUsage=critical,keyCertSign -out root.pem
openssl req -new -key issuer.key -subj "/CN=Issuer of a benchmark" -addext basicConstraints=critical,CA:TRUE,pathlen:0 \
    -addext keyUsage=critical,keyCertSign -out issuer.csr
openssl x509 -req -in issuer.csr -CA root.pem -CAkey root.key -copy_extensions copy -days 2 -out issuer.pem
openssl req -new -key leaf.key -subj "/CN=localhost" -addext subjectAltName=DNS:localhost \
    -addext keyUsage=critical,digitalSignature -addext extendedKeyUsage=serverAuth -out leaf.csr
openssl x509 -req -in leaf.csr -CA issuer.pem -CAkey issuer.key -copy_extensions copy -days 2 -out leaf.pem
cat leaf.pem issuer.pem > chain.pem
"""


async def carry(reader, writer):
    """Copies bytes in one direction until they end."""
    try:
        while part := await reader.read(65536):
            writer.write(part)
            await writer.drain()
    except OSError:
        # A client that is killed closes the connection without a TLS shutdown.
        pass
    finally:
        writer.close()


async def serve(directory, backend, ready):
    """Serves until the process ends. `ready` receives the port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(directory / "chain.pem", directory / "leaf.key")

    async def front(reader, writer):
        onward, outward = await asyncio.open_connection(*backend)
        await asyncio.gather(carry(reader, outward), carry(onward, writer))

    server = await asyncio.start_server(front, "127.0.0.1", 0, ssl=context)
    ready(server.sockets[0].getsockname()[1])
    await server.serve_forever()


@contextmanager
def tls_front(backend):
    """Starts the server in front of `backend`; returns its address and the file with its root certificate."""
    with tempfile.TemporaryDirectory() as made:
        subprocess.run(["bash", "-c", CERTIFICATES], cwd=made, check=True, capture_output=True)
        url, ports = urllib.parse.urlsplit(backend), Queue()
        serving = serve(Path(made), (url.hostname, url.port), ports.put)
        threading.Thread(target=asyncio.run, args=(serving,), daemon=True).start()
        yield f"https://localhost:{ports.get(timeout=10)}", f"{made}/root.pem"
