"""Small scripts, each with one line (`# culprit`) that makes another value, or goes another way,
when the hash seed, the addresses or the environment differ; and scripts where nothing does.

They run in a process that has `words` and `Thing` in reach: see `values_driver.py`.
"""

from __future__ import annotations

WORDS = tuple(f"word{number}" for number in range(40))

HASH_ORDER = {
    "list_of_a_set": """
        unique = set(words)
        count = len(unique)
        labels = list(unique)  # culprit: labels
        first = labels[0]
        """,
    "loop_over_a_set": """
        unique = {word for word in words}
        seen = []
        for word in unique:  # culprit: word
            seen.append(word)
        """,
    "enumerated_set": """
        table = {}
        unique = frozenset(words)
        for index, word in enumerate(unique):  # culprit: word
            table[word] = index
        """,
    "dict_comprehension": """
        unique = set(words)
        table = {
            word: index
            for index, word in enumerate(unique)  # culprit: word
        }
        """,
    "dict_from_a_set": """
        unique = set(words)
        table = dict.fromkeys(unique, 0)  # culprit: table
        size = len(table)
        """,
    "joined_set": """
        text = " ".join(set(words))  # culprit: text
        print(len(text))
        """,
    "popped_from_a_set": """
        unique = set(words)
        a, b, c, d = unique.pop(), unique.pop(), unique.pop(), unique.pop()  # culprit
        rest = len(unique)
        """,
    "next_of_a_set": """
        def chosen(names):
            iterator = iter(set(names))
            return [next(iterator) for _ in range(5)]  # culprit: return value

        names = sorted(words)
        picked = chosen(names)
        """,
    "attribute_of_an_object": """
        class Vocabulary:
            def __init__(self, source):
                self.source = sorted(source)
                self.size = len(self.source)
                self.labels = [*set(self.source)]  # culprit: self.labels

        vocabulary = Vocabulary(words)
        """,
    "slot_of_an_object": """
        class Vocabulary:
            __slots__ = ("labels",)

        vocabulary = Vocabulary()
        vocabulary.labels = None
        vocabulary.labels = tuple(set(words))  # culprit: vocabulary.labels
        """,
    "attribute_of_a_class": """
        class Config:
            labels = ()

        Config.labels = tuple(set(words))  # culprit: Config.labels
        """,
    "class_body": """
        class Config:
            size = len(words)
            labels = tuple(set(words))  # culprit: labels
        """,
    "argument_of_a_call": """
        def build(labels, *, scale=1):
            return {label: scale for label in labels}

        scale = 2
        table = build(list(set(words)), scale=scale)  # culprit: labels
        """,
    "argument_that_a_library_makes": """
        def length(word):
            return len(word)

        lengths = list(map(length, set(words)))  # culprit: word
        """,
    "result_of_a_call": """
        def labels(source):
            return list(set(source))  # culprit: return value

        print(len(labels(words)))
        """,
    "global_list": """
        cache = []

        def fill():
            size = len(words)
            cache.extend(set(words))  # culprit: cache

        fill()
        """,
    "generator": """
        def distinct(source):
            unique = set(source)
            for word in unique:  # culprit: word
                yield word

        found = list(distinct(words))
        """,
    "closure": """
        def outer():
            order = []

            def inner():
                order.extend({*words})  # culprit: order

            inner()
            return order

        outer()
        """,
    "hash_bucket": """
        total = 0
        for word in words:
            total += len(word)
        bucket = hash("word") % 1000003  # culprit: bucket
        """,
    "ties_of_a_sort": """
        unique = set(words)
        ranked = sorted(unique, key=len)  # culprit: ranked
        """,
    "sets_within": """
        groups = {"all": frozenset(words), "few": {(word, 1) for word in words}}
        nested = [groups, {"again": groups}]
        flat = [word for group in groups.values() for word in group]  # culprit
        """,
    "executed_text": """
        source = "unique = set(words)\\ncount = len(unique)\\nlabels = list(unique)\\n"
        exec(source)  # its third line is the culprit
        """,
    "objects_in_a_list": """
        things = [Thing(word) for word in sorted(words)]
        things = [Thing(word) for word in set(words)]  # culprit
        """,
    "array": """
        import array
        import collections

        counts = collections.Counter(len(word) for word in words)
        codes = array.array("l", [len(word) * ord(word[-1]) for word in set(words)])  # culprit
        """,
    "thread": """
        import threading

        found = []

        def work():
            for word in set(words):  # culprit: word
                found.append(word)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        """,
    "coroutine": """
        import asyncio

        async def collect():
            await asyncio.sleep(0)
            labels = list(set(words))  # culprit: labels
            return labels

        asyncio.run(collect())
        """,
}

ADDRESSES = {
    "identity": """
        things = [Thing(word) for word in words]
        unique = set(things)
        keys = [id(thing) % 1000003 for thing in things]  # culprit
        """,
    "default_repr": """
        thing = Thing("a")
        plain = object()
        name = f"run of {plain!r}"  # culprit: name
        """,
    "default_hash": """
        thing = object()
        bucket = hash(thing) % 1000003  # culprit: bucket
        """,
}

CLOCKS = {
    "nanoseconds": """
        import time

        started = None
        seed = time.time_ns() % 1000003  # culprit: seed
        """,
    "date_and_time": """
        import datetime

        epoch = datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
        now = datetime.datetime.now()  # culprit: now
        """,
}

FLOW = {
    "branch": """
        import os

        x = 0
        if os.environ["SIDE"] == "1":  # culprit
            x = 1
        else:
            x = 1
        """,
    "number_of_rounds": """
        import os

        rounds = 0
        for _ in range(int(os.environ["SIDE"])):  # culprit
            pass
        """,
    "call_or_none": """
        import os

        def prepare():
            return True

        done = os.environ["SIDE"] == "1" or prepare()  # culprit
        """,
    "exception": """
        import os

        try:
            {"1": 0}[os.environ["SIDE"]]  # culprit
        except KeyError:
            pass
        """,
    "early_return": """
        import os

        def prepare():
            if os.environ["SIDE"] == "1":  # culprit
                return 0
            return 0

        prepare()
        """,
    "dispatch": """
        import os

        def left():
            return 0

        def right():
            return 0

        print(len(words))
        {"1": left, "2": right}[os.environ["SIDE"]]()  # culprit
        """,
}

SOUND = {
    "sets_stay_sets": """
        unique = set(words)
        few = frozenset(words[:5])
        both = unique & few
        rest = unique - few
        held = [unique, (few, {"both": both})]
        found = "word3" in unique
        empty = set()
        for word in words:
            empty.add(word)
        empty.discard("word1")
        size = len(empty)
        """,
    "sorted_sets": """
        labels = sorted(set(words))
        table = {word: index for index, word in enumerate(labels)}
        longest = max(len(word) for word in labels)
        """,
    "objects_and_modules": """
        import argparse
        import collections
        import dataclasses
        import decimal
        import pathlib
        import random
        import types
        import uuid

        @dataclasses.dataclass(frozen=True)
        class Point:
            x: int
            tags: frozenset

        point = Point(1, frozenset(words))
        thing = Thing(point)
        things = {thing, Thing("b")}
        function = thing.__init__
        args = argparse.Namespace(tags=set(words), rate=decimal.Decimal("0.1"))
        space = types.SimpleNamespace(point=point)
        path = pathlib.Path("a") / "b"
        queue = collections.deque(words, maxlen=3)
        default = collections.defaultdict(set)
        default["x"].update(words)
        name = uuid.UUID(int=5)
        generator = random.Random(0)
        draws = [generator.random() for _ in range(3)]
        views = default.keys(), default.values(), default.items()
        weird = [None, ..., 1 + 2j, b"x", 2**100, -1, range(3), slice(1, 2), memoryview(b"x")]
        """,
    "memory_of_calls": """
        import functools

        @functools.lru_cache(maxsize=None)
        def fibonacci(n):
            return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

        total = fibonacci(20)
        pairs = list(zip(words, range(len(words))))
        with open(__file__) as file:
            lines = [line.strip() for line in file]
        """,
}
