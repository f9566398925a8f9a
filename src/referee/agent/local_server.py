"""llama.cpp's server for one file of weights, until standard input ends.

Usage: python -m referee.agent.local_server WEIGHTS PORT CONTEXT_WINDOW NAME

Prints its address on a line of standard output once it can be asked.
"""

from __future__ import annotations

import socket
import sys


def main() -> None:
    """Serve; one thread, because on a busy machine several wait for each other."""
    import xllamacpp

    weights, port, context = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.model_alias = {sys.argv[4]}
    params.hostnames = ["127.0.0.1"]
    params.port = port or _free_port()
    params.n_ctx = context
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.buffer.read()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    main()
