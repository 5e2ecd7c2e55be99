"""The hook "entropy": the operating system's chance comes from a fixed stream."""

from __future__ import annotations

import socket


def test_bytes_uuids_and_secrets(held):
    lines = held(
        """
        import os, random, secrets, uuid
        print(os.urandom(8))
        print(os.getrandom(8))
        print(secrets.token_hex(8))
        print(secrets.randbelow(10**12))
        print(random.SystemRandom().random())
        print(uuid.uuid4())
        print(uuid.uuid1())
        print(os.getpid())
        """,
        {"entropy": {}},
    )
    assert len(set(lines)) == len(lines)


def test_a_log_has_the_number_that_the_script_would_get(run):
    source = """
        import logging, os, sys
        logging.basicConfig(stream=sys.stdout, format="%(process)d")
        logging.warning("")
        print(os.getpid())
        """
    logged, asked = run(source, {"entropy": {}})
    assert logged == asked


PORTS = """
import socket
first, second = socket.socket(), socket.create_server(("127.0.0.1", 0))
first.bind(("127.0.0.1", 0))
print(second.getsockname())
print(first.getsockname())
"""


def test_sockets_that_may_have_any_port_get_the_same_ones_in_the_same_order(held):
    held(PORTS, {"entropy": {"seed": 3}})


def test_a_port_that_is_taken_is_passed_over(run):
    with socket.create_server(("127.0.0.1", 0)):
        lines = run(PORTS, {"entropy": {"seed": 4}})
    second = int(lines[0].split()[1].strip(")"))
    with socket.create_server(("127.0.0.1", second)):
        lines = run(PORTS, {"entropy": {"seed": 4}})
    ports = [int(line.split()[1].strip(")")) for line in lines]
    assert ports == [second + 1, second + 2]


def test_a_child_has_other_ports_than_its_parent(run):
    source = (
        PORTS
        + """
import os
child = os.fork()
if child == 0:
    third = socket.create_server(("127.0.0.1", 0))
    print(third.getsockname(), flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""
    )
    ports = [int(line.split()[1].strip(")")) for line in run(source, {"entropy": {"seed": 5}})]
    assert ports[1] == ports[0] + 1
    assert abs(ports[2] - ports[1]) > 1


def test_sockets_that_are_given_an_address_keep_it(run):
    source = """
        import socket
        taken = socket.create_server(("127.0.0.1", 0))
        try:
            socket.create_server(taken.getsockname())
        except OSError as error:
            print(error.errno)
        local = socket.socket(socket.AF_UNIX)
        local.bind("")
        print(len(local.getsockname()))
        if hasattr(socket, "AF_NETLINK"):
            kernel = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)
            kernel.bind((0, 0))
            print(kernel.getsockname()[1])
        for address in [("127.0.0.1", 0, "too many"), ("203.0.113.9", 0)]:
            try:
                socket.socket().bind(address)
            except (OSError, TypeError) as error:
                print(error)
        try:
            taken.bind(("127.0.0.1", 0))
        except OSError as error:
            print(error.errno)
        """
    assert run(source, {"entropy": {}}) == run(source)


NAMES = """
import os, random, tempfile
random.seed(1)
folder = tempfile.mkdtemp()
handle, path = tempfile.mkstemp(dir=folder)
print(os.path.relpath(path, folder))
os.close(handle); os.remove(path); os.rmdir(folder)
"""


def test_temporary_files_have_the_same_names(run, held):
    held(NAMES, {"entropy": {}})
    held(NAMES, {"entropy": {"names": True}})


def test_a_name_that_an_earlier_run_has_left_moves_no_later_one(run):
    source = """
        import os, tempfile
        kept = tempfile.mkdtemp(dir=".")
        with tempfile.NamedTemporaryFile(dir=kept) as file:
            print(os.path.basename(file.name), os.path.basename(tempfile.mkdtemp(dir=kept)))
        """
    left, found = (run(source, {"entropy": {}}) for _ in range(2))
    assert left == found


def test_another_series_has_other_names_and_the_same_bytes(run):
    source = f"""{NAMES}
print(os.urandom(4).hex())
"""
    first, second, again = (run(source, {"entropy": {"series": n}}) for n in (5, 6, 5))
    assert first == again
    assert first[-1] == second[-1]
    assert first[:-1] != second[:-1]


def test_no_seed_reaches_the_names_of_temporary_files(run):
    first, second = (run(NAMES, {"seeds": {}}) for _ in range(2))
    assert first != second


def test_uuids_are_well_formed(run):
    lines = run(
        """
        import uuid
        one, other, four = uuid.uuid1(), uuid.uuid1(), uuid.uuid4()
        print(one.version, four.version, one.variant == uuid.RFC_4122, one != other)
        print(1.70e9 < (one.time - 0x01B21DD213814000) / 1e7 < 1.71e9)
        print(uuid.uuid1(node=5, clock_seq=9).node, uuid.uuid1(5, 9).clock_seq)
        """,
        {"entropy": {}},
    )
    assert lines == ["1 4 True True", "True", "5 9"]


def test_generators_that_seed_themselves_are_left_alone(run):
    source = "import random, numpy as np; print(np.random.default_rng().random(), random.random())"
    first, second = (run(source, {"entropy": {}})[0].split() for _ in range(2))
    assert first[0] != second[0]
    assert first[1] != second[1]


def test_a_signal_to_the_process_itself_reaches_no_other(run):
    lines = run(
        """
        import os
        try:
            os.kill(os.getpid(), 0)
        except ProcessLookupError:
            print("nobody")
        """,
        {"entropy": {}},
    )
    assert lines == ["nobody"]


def test_wrong_arguments_raise_what_they_raise(run):
    source = """
        import os
        for size in (-1, "8"):
            try:
                os.urandom(size)
            except Exception as error:
                print(type(error).__name__)
        """
    assert run(source, {"entropy": {}}) == run(source)


def test_names_alone(run, held):
    held(
        """
        import os, secrets, uuid
        from secrets import token_urlsafe
        print(uuid.uuid4(), uuid.uuid1(), os.getpid())
        print(secrets.token_hex(), token_urlsafe(5), os.getpid())
        print("".join(secrets.choice("abcdefgh") for _ in range(30)), secrets.choice(b"abcdefgh"))
        """,
        {"entropy": {"names": True}},
    )
    source = """
        import secrets
        print(secrets.token_hex(2) != secrets.token_hex(2), len(secrets.token_hex()))
        print(len(secrets.token_urlsafe(4)), secrets.token_bytes(9) == secrets.token_bytes(9))
        """
    assert run(source, {"entropy": {"names": True}}) == ["True 64", "6 False"]


def test_what_is_chosen_from_anything_but_characters_is_no_name(run):
    source = """
        import secrets
        drawn = [[secrets.choice(kind(range(256))) for _ in range(20)] for kind in (list, tuple)]
        print(*drawn)
        try:
            secrets.choice("")
        except IndexError:
            print("empty")
        """
    settings = {"entropy": {"names": True}}
    first, second = run(source, settings), run(source, settings)
    assert first[-1] == second[-1] == "empty"
    assert first[0] != second[0]


def test_names_that_were_given_are_known(run):
    source = """
        import secrets, uuid
        from samebits.core.interposition.given_names import given_names
        names = uuid.uuid4().hex[:8], secrets.token_hex(8)
        secrets.token_hex(1000)
        print([given.startswith(name) for given, name in zip(given_names(), names)])
        print(len(given_names()))
        """
    assert run(source, {"entropy": {"names": True}}) == ["[True, True]", "2"]
