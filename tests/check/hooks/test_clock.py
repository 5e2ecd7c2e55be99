"""The hook "clock": time that goes the same way in every run, or another day."""

from __future__ import annotations

ALL_READINGS = """
    import time
    from datetime import date, datetime, timezone
    from time import time as seconds
    print(seconds(), time.time_ns())
    print(time.monotonic(), time.monotonic_ns())
    print(time.perf_counter(), time.perf_counter_ns())
    print(time.process_time(), time.process_time_ns(), time.thread_time())
    print(time.clock_gettime(time.CLOCK_REALTIME), time.clock_gettime_ns(time.CLOCK_MONOTONIC))
    print(datetime.now(), datetime.now(timezone.utc), datetime.now(tz=timezone.utc))
    print(datetime.today(), seconds())
    print(time.localtime(), time.gmtime(), seconds())
    print(time.ctime(), time.asctime(), time.strftime("%H:%M:%S"), seconds())
    print(date.today(), seconds())
    """


def test_every_reading_is_the_same_in_every_run(held):
    held(ALL_READINGS, {"clock": {}})


def test_time_goes_on_at_every_question_and_at_every_sleep(run):
    lines = run(
        """
        import time
        a, b = time.time(), time.time()
        print(round(b - a, 6))
        a = time.monotonic(); time.sleep(0.05); b = time.monotonic()
        print(round(b - a, 6))
        """,
        {"clock": {"advance": 0.5}},
    )
    assert lines == ["0.5", "0.55"]


def test_how_long_something_takes_is_the_same_early_and_late(run):
    lines = run(
        """
        import time
        from datetime import datetime
        def took(ask):
            return [ask() for _ in range(2)]
        for ask in (time.time, time.monotonic, time.perf_counter, time.time_ns, datetime.now):
            durations = set()
            for step in range(300):
                begin, end = took(ask)
                durations.add(end - begin)
                if step % 50 == 0:
                    time.sleep(0.003)
            print(len(durations))
        """,
        {"clock": {"advance": 2.0**-17}},
    )
    assert lines == ["1"] * 5


def test_who_shows_progress_has_a_clock_that_moves_on_nobody_elses(run):
    lines = run(
        """
        import time
        bar = {"__name__": "tqdm.std"}
        exec("from time import time, monotonic_ns\\ndef ask(): return time(), monotonic_ns()", bar)
        begin = time.time()
        shown = [bar["ask"]()[0] for _ in range(7)]
        print(round(time.time() - begin, 6), round(shown[-1] - begin, 6))
        """,
        {"clock": {"advance": 0.5}},
    )
    assert lines == ["0.5 6.5"]


def test_loops_and_waits_end(run):
    lines = run(
        """
        import asyncio, queue, subprocess, sys, threading, time
        end = time.time() + 1
        rounds = 0
        while time.time() < end:
            rounds += 1
        print(rounds)
        try:
            queue.Queue().get(timeout=0.05)
        except queue.Empty:
            print("empty")
        print(threading.Event().wait(0.05), threading.Condition().acquire())
        asyncio.run(asyncio.sleep(0.05))
        try:
            subprocess.run([sys.executable, "-c", "while True: pass"], timeout=0.2)
        except subprocess.TimeoutExpired:
            print("timeout")
        """,
        {"clock": {}},
    )
    assert lines == ["99", "empty", "False True", "timeout"]


def test_another_day(run):
    source = """
        import time
        from datetime import date, datetime
        now = datetime.now()
        print(now.year, now.month, now.weekday(), now.hour < 12, date.today(), time.time())
        """
    (shifted,), (plain,) = run(source, {"clock": {"mode": "shifted"}}), run(source)
    *facts, seconds = shifted.split()
    *own_facts, own_seconds = plain.split()
    assert not [fact for fact, own in zip(facts, own_facts, strict=True) if fact == own]
    assert 399 * 86400 < float(seconds) - float(own_seconds) < 402 * 86400


def test_durations_are_real_under_another_day(run):
    source = "import time; print(time.monotonic.__class__, time.sleep.__class__)"
    assert run(source, {"clock": {"mode": "shifted"}}) == run(source)


def test_threads_have_clocks_of_their_own(run):
    lines = run(
        """
        import threading, time
        def ask(answers, times):
            for _ in range(times):
                answers.append(time.time())
        first, second = [], []
        threads = [threading.Thread(target=ask, args=a) for a in ((first, 500), (second, 300))]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(first[:300] == second, first == sorted(set(first)))
        """,
        {"clock": {}},
    )
    assert lines == ["True True"]


def test_datetime_stays_what_it_is(run):
    source = """
        import datetime, inspect, pickle, time
        class Own(datetime.datetime):
            pass
        print(type(Own.now()).__name__, type(Own.today()).__name__)
        print(isinstance(datetime.datetime.now(), datetime.datetime), datetime.datetime.__mro__)
        print(type(pickle.loads(pickle.dumps(datetime.datetime.now()))))
        print(pickle.loads(pickle.dumps(datetime.datetime.now))().__class__)
        print(pickle.loads(pickle.dumps(time.time)) is time.time)
        print(repr(time.time), time.time.__name__)
        print(inspect.isbuiltin(time.time), inspect.isroutine(time.sleep), time.time.__module__)
        class Timer:
            clock = time.perf_counter
        print(type(Timer().clock()))
        for wrong in ((3,), (None, 1)):
            try:
                datetime.datetime.now(*wrong)
            except TypeError as error:
                print("TypeError", error.__traceback__.tb_next)
        try:
            time.localtime("x")
        except TypeError as error:
            print(error, error.__traceback__.tb_next)
        """
    assert run(source, {"clock": {}}) == run(source)


def test_what_a_thread_does_now_and_then_waits_for_the_main_thread(run):
    lines = run(
        """
        import queue, threading, time
        steps, over, ticks = 0, threading.Event(), queue.Queue()
        def beat():
            while not over.wait(0.01):
                print("at", steps, flush=True)
        def tick():
            for n in range(3):
                time.sleep(0.01)
                ticks.put(n)
        def fall_asleep():
            time.sleep(0.01)
            print("awake at", steps, flush=True)
        heart = threading.Thread(target=beat)
        sleeper = threading.Thread(target=fall_asleep)
        heart.start()
        sleeper.start()
        for steps in range(1, 4):
            sum(n * n for n in range(400_000))
        over.set()
        heart.join()
        sleeper.join()
        threading.Thread(target=tick).start()
        print([ticks.get() for _ in range(3)])
        """,
        {"clock": {}},
    )
    assert lines == ["awake at 3", "[0, 1, 2]"]


def test_timers_do_not_go_off(run):
    lines = run(
        """
        import signal, time
        def ring(*_):
            print("ring")
        signal.signal(signal.SIGALRM, ring)
        print(signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01), signal.alarm(1))
        end = time.process_time() + 3
        print(sum(n * n for n in range(300_000)) > 0)
        """,
        {"clock": {}},
    )
    assert lines == ["(0.0, 0.0) 0", "True"]
