"""The hook "serial": one thing after another, in the order of asking."""

from __future__ import annotations

import pytest

EARLIER_IS_SLOWER = """
    import sys, threading, time, concurrent.futures as cf, multiprocessing.pool as mp
    import multiprocessing
    seen = []
    def work(n):
        time.sleep(0.08 - 0.02 * n)
        seen.append(n)
        return n
    """

WAYS = {
    "threads": """
        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for t in threads: t.start()
        for t in threads: t.join()
        print(seen)
        """,
    "executor": """
        with cf.ThreadPoolExecutor(4) as pool:
            futures = [pool.submit(work, n) for n in range(4)]
            print([f.result() for f in cf.as_completed(futures)])
        print(seen)
        """,
    "set-of-futures": """
        with cf.ThreadPoolExecutor(4) as pool:
            print([f.result() for f in cf.as_completed({pool.submit(work, n) for n in range(4)})])
        """,
    "map": """
        with cf.ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(4)))
        print(seen)
        """,
    "thread-pool": """
        with mp.ThreadPool(4) as pool:
            pool.map(work, range(4), 1)
        print(seen)
        """,
    "unordered": """
        with mp.ThreadPool(4) as pool:
            print(list(pool.imap_unordered(work, range(4))))
        """,
    "joblib": """
        import joblib
        parallel = joblib.Parallel(4, backend="threading", return_as="generator_unordered")
        print(list(parallel(joblib.delayed(work)(n) for n in range(4))))
        """,
    "joblib-as-they-finish": """
        import joblib
        joblib.Parallel(4, require="sharedmem")(joblib.delayed(work)(n) for n in range(4))
        print(seen)
        """,
    "event-loop": """
        import asyncio
        async def main():
            jobs = [asyncio.to_thread(work, n) for n in range(4)]
            print([await job for job in asyncio.as_completed(jobs)])
        asyncio.run(main())
        print(seen)
        """,
    "callbacks": """
        with mp.ThreadPool(4) as pool:
            for n in range(4):
                pool.apply_async(work, (n,), callback=lambda n: seen.append(-n))
            pool.close(); pool.join()
        print([n for n in seen if n > 0])
        """,
    "bounded-queue": """
        import queue
        handed = queue.Queue(maxsize=1)
        def put(n):
            time.sleep(0.04 - 0.01 * n)
            for k in range(3): handed.put(10 * n + k); time.sleep(0.01)
        threads = [threading.Thread(target=put, args=(n,)) for n in range(3)]
        for t in threads: t.start()
        print([handed.get() for _ in range(9)])
        """,
    "processes": """
        context = multiprocessing.get_context("fork")
        queue = context.SimpleQueue()
        def put(n):
            queue.put(work(n))
        processes = [context.Process(target=put, args=(n,)) for n in range(4)]
        for p in processes: p.start()
        print([queue.get() for _ in processes])
        for p in processes: p.join()
        """,
    "programs": """
        import subprocess, tempfile
        with tempfile.NamedTemporaryFile("r") as file:
            code = "import sys, time; n = int(sys.argv[2]); time.sleep(0.08 - 0.02 * n)"
            code += "; open(sys.argv[1], 'a').write(str(n))"
            words = [sys.executable, "-S", "-c", code, file.name]
            programs = [subprocess.Popen([*words, str(n)]) for n in range(4)]
            for program in programs: program.wait()
            print([int(n) for n in file.read()])
        """,
    "workers-of-a-queue": """
        context = multiprocessing.get_context("fork")
        jobs, results = context.Queue(), context.Queue()
        def serve():
            while (n := jobs.get()) is not None:
                results.put((work(n), time.time()))
        processes = [context.Process(target=serve) for _ in range(3)]
        for p in processes: p.start()
        for n in range(4): jobs.put(n)
        first = results.get()[0]
        print([first, *(results.get(timeout=20)[0] for _ in range(3))], results.empty())
        for n in (*range(4), *([None] * 3)): jobs.put(n)
        for p in processes: p.join()
        found = []
        while not results.empty(): found.append(results.get()[0])
        print(found)
        """,
    "connections": """
        from multiprocessing.connection import wait
        context = multiprocessing.get_context("fork")
        def send(n, end):
            end.send(work(n))
        pipes = [context.Pipe(duplex=False) for _ in range(4)]
        processes = [
            context.Process(target=send, args=(n, end)) for n, (_, end) in enumerate(pipes)
        ]
        import threading
        starts = threading.Thread(target=lambda: [p.start() for p in processes])
        starts.start(); starts.join()
        print([end.recv() for end in wait([end for end, _ in pipes])])
        for p in processes: p.join()
        """,
}


def source(way: str) -> str:
    return EARLIER_IS_SLOWER.replace("\n    ", "\n") + WAYS[way].replace("\n        ", "\n")


@pytest.mark.parametrize("way", WAYS)
def test_things_happen_in_the_order_of_asking(run, way):
    lines = run(source(way), {"serial": {}})
    for line in lines:
        numbers = eval(line.removesuffix(" True"))
        assert numbers == sorted(numbers), (way, lines)


HANDED_OVER = """
    import queue
    handed, shared = queue.Queue(), [0]
    def take():
        while (item := handed.get()) is not None:
            time.sleep(0.01)
            seen.append(item[0])
    thread = threading.Thread(target=take)
    thread.start()
    for n in range(4):
        shared[0] = n
        handed.put(shared)
    handed.put(None)
    thread.join()
    print(seen)
"""


def test_threads_of_a_barrier_go_on_as_they_came(run):
    got = run(
        """
        import threading, time
        barrier, seen = threading.Barrier(4), []
        def work(n):
            for k in range(3):
                barrier.wait()
                time.sleep(0.04 - 0.01 * n)
                seen.append(n)
        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for t in threads: t.start()
        for t in threads: t.join()
        print(seen)
        """,
        {"serial": {}},
    )
    assert got == [str([0, 1, 2, 3] * 3)]


def test_a_barrier_that_is_broken_holds_nobody_up(run):
    got = run(
        """
        import threading
        barrier, seen = threading.Barrier(2), []
        def work():
            try:
                barrier.wait(0.05)
            except threading.BrokenBarrierError:
                seen.append("broken")
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        barrier.reset()
        thread = threading.Thread(target=barrier.wait)
        thread.start()
        barrier.wait()
        thread.join()
        print(seen)
        """,
        {"serial": {}},
    )
    assert got == ["['broken']"]


def test_what_is_handed_to_a_thread_is_read_before_the_script_goes_on(run):
    script = EARLIER_IS_SLOWER.replace("\n    ", "\n") + HANDED_OVER.replace("\n    ", "\n")
    assert run(script, {"serial": {}}) == ["[0, 1, 2, 3]"]
    assert run(script) == ["[3, 3, 3, 3]"]


def test_a_queue_that_nobody_waits_for_holds_nobody_up(run):
    lines = run(
        """
        import queue, time
        began, filled = time.monotonic(), queue.Queue()
        for n in range(200):
            filled.put(n)
        print(filled.qsize(), time.monotonic() - began < 1)
        """,
        {"serial": {}},
    )
    assert lines == ["200 True"]


def test_a_pool_of_processes_has_one(run):
    lines = run(
        """
        import multiprocessing as mp, os
        from concurrent.futures import ProcessPoolExecutor
        fork = mp.get_context("fork")
        def number(_):
            return os.getpid()
        with fork.Pool(processes=3) as pool:
            print(len(set(pool.imap_unordered(number, range(30)))))
        with ProcessPoolExecutor(3, mp_context=fork) as pool:
            print(len(set(pool.map(number, range(30)))))
        """,
        {"serial": {}},
    )
    assert lines == ["1", "1"]


def test_without_it_they_do_not(run):
    assert run(source("threads")) == ["[3, 2, 1, 0]"]


def test_nothing_waits_for_what_waits_itself(run):
    lines = run(
        """
        import concurrent.futures as cf, queue, threading
        barrier, items, lock = threading.Barrier(3), queue.Queue(), threading.Lock()
        def meet():
            barrier.wait()
        def take():
            print(items.get())
        threads = [threading.Thread(target=meet) for _ in range(2)]
        threads.append(threading.Thread(target=take))
        for t in threads: t.start()
        barrier.wait()
        items.put("taken")
        for t in threads: t.join()
        def outer(pool):
            return pool.submit(lambda: "inner").result()
        with cf.ThreadPoolExecutor(2) as pool:
            print(pool.submit(outer, pool).result())
        with lock:
            blocked = threading.Thread(target=lock.acquire)
            blocked.start()
        blocked.join()
        with cf.ThreadPoolExecutor(1) as pool:
            gate = threading.Event()
            late = pool.submit(gate.wait)
            try:
                next(cf.as_completed([late], timeout=0.05))
            except cf.TimeoutError:
                print("timeout")
            gate.set()
        """,
        {"serial": {}},
    )
    assert lines == ["taken", "inner", "timeout"]


ARROW = """
    import pyarrow
    pyarrow.set_cpu_count(3)
    print(pyarrow.cpu_count())
    """


@pytest.mark.parametrize(("settings", "threads"), [({}, "1"), ({"shares": False}, "3")])
def test_arrow_computes_on_one_thread(run, settings, threads):
    assert run(ARROW, {"serial": settings}) == [threads]
