"""Watched functions stay what they are, to pickle and inspect, in subclasses and in threads."""

from __future__ import annotations

import copy
import functools
import inspect
import os
import pickle
import random
import threading
import time
import types

import numpy as np
import pytest
import torch

WATCHED = (
    random.random,
    random.shuffle,
    random.Random.random,
    np.random.rand,
    np.random.default_rng,
    np.random.Generator.normal,
    torch.rand,
    torch.Tensor.uniform_,
    torch.Generator.manual_seed,
    time.time,
    os.urandom,
    os.listdir,
    hash,
)


def facts(function):
    return (
        id(function),
        type(function),
        function.__name__,
        function.__qualname__,
        function.__doc__,
        repr(function),
        isinstance(function, types.BuiltinFunctionType),
        inspect.isbuiltin(function),
    )


@pytest.mark.parametrize("function", WATCHED, ids=lambda f: f.__qualname__)
def test_functions_are_the_objects_that_they_were(count, function):
    assert count(lambda: facts(function)).result == facts(function)


@pytest.mark.parametrize("function", WATCHED, ids=lambda f: f.__qualname__)
def test_pickles_are_the_same_bytes(count, function):
    def dumped():
        found = []
        for thing in (function, functools.partial(function)):
            try:
                found.append(pickle.dumps(thing))
            except (TypeError, pickle.PicklingError) as error:
                found.append(type(error))
        return found

    assert count(dumped).result == dumped()


def test_generators_pickle_and_copy_with_their_state(count):
    def numbers():
        found = []
        for make in (random.Random, np.random.RandomState, np.random.default_rng):
            generator = make(3)
            generator.random()
            for again in (pickle.loads(pickle.dumps(generator)), copy.deepcopy(generator)):
                assert type(again) is type(generator)
                found.append(again.random())
            found.append(generator.random())
            bound = pickle.loads(pickle.dumps(generator.random))
            found.append(bound())
        return found

    assert count(numbers).result == numbers()


def test_the_same_numbers_are_drawn(count):
    def numbers():
        random.seed(1)
        np.random.seed(2)
        torch.manual_seed(3)
        rng = np.random.Generator(np.random.Philox(key=4))
        return (
            random.random(),
            random.choices(range(9), k=4),
            np.random.normal(size=3).tolist(),
            np.random.RandomState(5).permutation(6).tolist(),
            rng.integers(9, size=4).tolist(),
            np.random.default_rng(4).spawn(2)[1].random(),
            np.random.SeedSequence(7).spawn(1)[0].generate_state(2).tolist(),
            torch.rand(3).tolist(),
            torch.randperm(5, generator=torch.Generator().manual_seed(6)).tolist(),
            torch.nn.functional.dropout(torch.ones(6), 0.5).tolist(),
        )

    assert count(numbers).result == numbers()


def test_subclasses_draw_as_their_parents_do(count):
    def numbers():
        class Loaded(random.Random):
            def random(self):
                return super().random() / 2

        class Named(np.random.RandomState):
            def __init__(self, name):
                super().__init__(len(name))

        class Halved(np.random.Generator):
            def half(self):
                return self.random() / 2

        loaded, named, halved = Loaded(3), Named("abc"), Halved(np.random.PCG64(3))
        return loaded.random(), loaded.uniform(0, 1), named.rand(), halved.half()

    counted = count(numbers)
    assert counted.result == numbers()
    assert all(row.seeded == 1 for row in counted.rows if row.event == "draw")
    assert len(counted.of("numpy", "construct")) == 1


def test_a_subclass_made_under_the_watch_outlives_it(count):
    made = count(lambda: type("Late", (np.random.RandomState,), {})).result
    assert made(3).rand() == np.random.RandomState(3).rand()


def test_errors_are_those_of_the_function(count):
    def message(call):
        with pytest.raises(Exception) as caught:  # noqa: PT011 (whatever it raises)
            call()
        frames = []
        traceback = caught.tb
        while traceback is not None:
            frames.append(traceback.tb_frame.f_code.co_name)
            traceback = traceback.tb_next
        return type(caught.value), str(caught.value), frames

    for call in (
        lambda: os.listdir("/nowhere"),  # noqa: PTH208
        lambda: torch.rand(-1),
        lambda: np.random.default_rng(-1),
        lambda: random.getrandbits(-1),
    ):
        assert count(lambda c=call: message(c)).result == message(call)


def test_keywords_and_positions_arrive(count):
    def numbers():
        return (
            np.random.default_rng(seed=3).normal(0, size=2, scale=3).tolist(),
            np.random.RandomState(seed=3).normal(0, size=2, scale=3).tolist(),
            torch.normal(mean=0.0, std=1.0, size=(2,)).shape,
            [*np.random.default_rng(3).choice([1, 2, 3], 2, replace=False)],
        )

    assert count(numbers).result == numbers()


def test_threads_count_into_one_ledger(count):
    def draw():
        threads = [
            threading.Thread(target=lambda: [random.random() for _ in range(500)]) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert sum(row.calls for row in count(draw).of("python", "draw")) == 2000


def test_nothing_is_counted_before_or_after(count):
    count(random.random)
    random.random()
    counted = count(lambda: None)
    assert counted.of("python") == []
