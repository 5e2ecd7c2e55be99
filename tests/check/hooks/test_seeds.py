"""The hook "seeds": whatever is made without a seed gets one."""

from __future__ import annotations


def test_python_generators(held):
    lines = held(
        """
        import random
        print(random.random())
        print(random.Random().random())
        print(random.Random().random())
        random.seed()
        print(random.random())
        """,
        {"seeds": {}},
    )
    assert len(set(lines)) == len(lines)


def test_numpy_generators(held):
    lines = held(
        """
        import numpy as np
        print(np.random.rand())
        print(np.random.default_rng().random())
        print(np.random.default_rng().random())
        print(np.random.RandomState().rand())
        print(np.random.PCG64().random_raw())
        print(np.random.MT19937().random_raw())
        print(np.random.SeedSequence().entropy)
        np.random.seed()
        print(np.random.rand())
        """,
        {"seeds": {}},
    )
    assert len(set(lines)) == len(lines)


def test_seeded_generators_keep_their_seeds(run):
    source = """
        import random
        import numpy as np
        print(random.Random(5).random(), np.random.default_rng(5).random())
        random.seed(3)
        np.random.seed(3)
        print(random.random(), np.random.rand(), np.random.RandomState(4).rand())
        print(random.Random("a").random(), random.Random(x=7).random())
        """
    assert run(source, {"seeds": {"seed": 9}}) == run(source)


def test_another_seed_gives_other_numbers(run):
    source = "import random; print(random.random(), random.Random().random())"
    first, second = (run(source, {"seeds": {"seed": seed}})[0].split() for seed in (0, 1))
    assert first[0] != second[0]
    assert first[1] != second[1]


def test_one_source_is_seeded_alone(run):
    source = """
        import random
        import numpy as np
        print(random.random())
        print(np.random.rand())
        print(np.random.default_rng().random())
        """
    first, second = (run(source, {"seeds": {"sources": ["numpy-generator"]}}) for _ in range(2))
    assert [a == b for a, b in zip(first, second, strict=True)] == [False, False, True]


def test_one_line_is_seeded_alone(run, tmp_path):
    source = """
        import numpy as np
        a = np.random.default_rng()
        b = np.random.default_rng()
        print(a.random())
        print(b.random())
        """
    hooks = {"seeds": {"sites": [[str(tmp_path / "script.py"), 4]]}}
    first, second = run(source, hooks), run(source, hooks)
    assert [a == b for a, b in zip(first, second, strict=True)] == [False, True]


def test_forked_children_draw_numbers_of_their_own(held):
    lines = held(
        """
        import multiprocessing
        import numpy as np

        def work(queue):
            queue.put(np.random.default_rng().random())

        context = multiprocessing.get_context("fork")
        for _ in range(2):
            queue = context.SimpleQueue()
            process = context.Process(target=work, args=(queue,))
            process.start()
            print(queue.get())
            process.join()
        """,
        {"seeds": {}},
    )
    assert lines[0] != lines[1]


def test_a_fork_draws_from_pythons_generator_what_it_drew_before(held):
    lines = held(
        """
        import os, random, sys

        random.seed(5)
        for _ in range(2):
            if os.fork() == 0:
                print(random.random())
                sys.stdout.flush()
                os._exit(0)
            os.wait()
        """,
        {"seeds": {}},
    )
    assert lines[0] != lines[1]


def test_subclasses_and_pickles_are_as_ever(run):
    source = """
        import copy, inspect, pickle, random

        class Own(random.Random):
            def __init__(self):
                super().__init__(4)

        own = pickle.loads(pickle.dumps(Own()))
        print(own.random() == random.Random(4).random())
        print(inspect.signature(random.seed), inspect.signature(random.Random.seed))
        print(pickle.loads(pickle.dumps(random.Random.seed)) is random.Random.seed)
        print(callable(random.seed), random.seed.__name__)
        print(copy.copy(random.Random.seed) is random.Random.seed, random.Random.seed.__doc__[:10])
        try:
            random.Random(5).seed(object(), 3)
        except Exception as error:
            print(type(error).__name__)
        """
    assert run(source, {"seeds": {}}) == run(source)
