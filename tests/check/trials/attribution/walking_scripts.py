"""Everyday scripts that walk sets, with what the order goes by; each is traced in two processes.

A line that ends in `# decides` is the one to blame, `# decides: string` says what it goes by.
"""

from __future__ import annotations

MODULES = {
    "store": """
        import enum
        from dataclasses import dataclass
        from typing import NamedTuple

        class Item:
            def __init__(self, width):
                self.width = width

        class Store:
            def __init__(self):
                self.items = set()
                self.names = set()
            def fill(self, number):
                for n in range(number):
                    leave_room(n)
                    self.items.add(Item(n))
                    self.names.add(f"name {n}")
            def all_names(self):
                return self.names
            def all_items(self):
                return frozenset(self.items)

        class Colour(enum.Enum):
            RED = 1
            GREEN = 2
            BLUE = 3
            BLACK = 4
            WHITE = 5

        @dataclass(frozen=True)
        class Key:
            name: str
            size: int

        @dataclass(frozen=True)
        class Held:
            item: Item

        class Edge(NamedTuple):
            start: str
            end: str

        class Named:
            def __init__(self, name):
                self.name = name
            def __hash__(self):
                return hash(self.name)
            def __eq__(self, other):
                return self.name == other.name

        class ById(Named):
            def __hash__(self):
                return id(self)

        class Opaque(Named):
            def __hash__(self):
                return hash(repr(self.name))
    """,
    "registry": """
        PLUGINS = set()

        def register(function):
            PLUGINS.add(function)
            return function

        def all_plugins():
            return PLUGINS
    """,
    "vocabulary": """
        class Vocabulary:
            def __init__(self, text):
                self.words = set()
                for line in text.splitlines():
                    self.words.update(line.split())
            def numbered(self):
                return {w: i for i, w in enumerate(self.words)}  # decides: string
    """,
}

SCRIPTS = {
    "objects_of_a_weak_set": """
        import weakref
        from store import Item
        class Layer:
            live = weakref.WeakSet()
        kept = []
        for n in range(60):
            leave_room(n)
            kept.append(Item(n))
            Layer.live.add(kept[-1])
        widths = []
        for item in list(Layer.live):  # decides: identity
            widths.append(item.width)
        result = str(widths)  # ends
    """,
    "values_of_a_dict_given_back": """
        from store import Item
        items = {}
        for n in range(60):
            leave_room(n)
            items[f"item {n}"] = Item(n)
        def every_item():
            return list(set(items.values()))  # decides: identity
        number = {item: n for n, item in enumerate(every_item())}
        total = [number[item] for item in items.values()]  # ends
        """,
    "values_of_a_dict_stored": """
        from store import Item
        items = {}
        for n in range(60):
            leave_room(n)
            items[f"item {n}"] = Item(n)
        every = tuple(set(items.values()))  # decides: identity
        total = [item.width for item in every]  # ends
        """,
    "objects_of_another_module": """
        from store import Store
        store = Store()
        store.fill(40)
        index = {item: n for n, item in enumerate(store.items)}  # decides: identity
        widths = [item.width * n for item, n in index.items()]
        result = str(widths)  # ends
    """,
    "names_of_another_module": """
        from store import Store
        store = Store()
        store.fill(40)
        order = [name for name in store.names]  # decides: string
        result = str(order)  # ends
    """,
    "objects_given_by_a_method": """
        from store import Store
        store = Store()
        store.fill(40)
        widths = []
        for item in store.all_items():  # decides: identity
            widths.append(item.width)
        result = str(widths)  # ends
    """,
    "names_given_by_a_method": """
        from store import Store
        store = Store()
        store.fill(40)
        order = list(store.all_names())  # decides: string
        result = str(order)  # ends
    """,
    "registered_functions": """
        from registry import all_plugins, register
        def make(number):
            @register
            def plugin(x):
                return x * number + 1
            return plugin
        made = [make(number) for number in range(100)]
        x = 1
        for plugin in all_plugins():  # decides: identity
            x = plugin(x) % 1000003
        result = str(x)  # ends
    """,
    "vocabulary_of_another_module": """
        from vocabulary import Vocabulary
        text = "the quick brown fox\\njumps over the lazy dog\\nand runs away from home"
        numbers = Vocabulary(text).numbered()
        result = str([numbers[word] for word in text.split()])  # ends
    """,
    "graph_of_nodes": """
        class Node:
            def __init__(self, value):
                self.value = value
                self.next = set()
        nodes = [Node(n) for n in range(30)]
        for node in nodes:
            node.next.update(nodes)
        def visit(node, seen, out):
            seen.append(node)
            out.append(node.value)
            for other in node.next:  # decides: identity
                if other not in seen:
                    visit(other, seen, out)
        out = []
        visit(nodes[0], [], out)
        result = str(out)  # ends
    """,
    "two_sets_of_objects": """
        class Cell:
            def __init__(self, number):
                self.number = number
        made = []
        for n in range(60):
            leave_room(n)
            made.append(Cell(n))
        free = set(made)
        words = {f"w{n}" for n in range(40)}
        begin = list(free)  # decides: identity
        border = set(begin[:40])
        order = []
        while border:
            order.append(border.pop().number)  # as well
        longest = [word for word in words if len(word) > 2]
        result = str(order)  # ends
    """,
    "popped_objects": """
        class Cell:
            def __init__(self, number):
                self.number = number
        made = [Cell(n) for n in range(40)]
        free = set(made)
        order = []
        while free:
            cell = free.pop()  # decides: identity
            order.append(cell.number)
        result = str(order)  # ends
    """,
    "enum_members": """
        from store import Colour
        used = set(Colour)
        order = [colour.value for colour in used]  # decides: string
        result = str(order)  # ends
    """,
    "frozen_dataclass_of_text": """
        from store import Key
        keys = {Key(f"k{n}", n) for n in range(20)}
        order = [key.size for key in keys]  # decides: string
        result = str(order)  # ends
    """,
    "frozen_dataclass_of_objects": """
        from store import Held, Item
        made = [Item(n) for n in range(40)]
        held = {Held(item) for item in made}
        order = [one.item.width for one in held]  # decides: identity
        result = str(order)  # ends
    """,
    "named_tuples_of_text": """
        from store import Edge
        edges = {Edge(f"a{n}", f"b{n}") for n in range(20)}
        order = list(edges)  # decides: string
        result = str(order)  # ends
    """,
    "pairs_of_text_and_number": """
        pairs = set()
        for n in range(20):
            pairs.add((f"word {n}", n))
        order = [n for _, n in pairs]  # decides: string
        result = str(order)  # ends
    """,
    "days": """
        import datetime
        days = {datetime.date(2024, 1, n + 1) for n in range(20)}
        order = [day.day for day in days]  # decides: string
        result = str(order)  # ends
    """,
    "paths": """
        from pathlib import Path
        files = set(Path("data", f"{n}.txt") for n in range(20))
        order = [file.name for file in files]  # decides: string
        result = str(order)  # ends
    """,
    "hashed_by_a_name": """
        from store import Named
        named = {Named(f"n{n}") for n in range(20)}
        order = [one.name for one in named]  # decides: string
        result = str(order)  # ends
    """,
    "hashed_by_id": """
        from store import ById
        made = [ById(f"n{n}") for n in range(40)]
        named = set(made)
        order = [one.name for one in named]  # decides: identity
        result = str(order)  # ends
    """,
    "hashed_by_what_is_not_told": """
        from store import Opaque
        named = {Opaque(f"n{n}") for n in range(20)}
        order = [one.name for one in named]  # decides: unknown
        result = str(order)  # ends
    """,
    "text_and_objects": """
        from store import Item
        mixed = {f"name {n}" for n in range(20)} | {Item(n) for n in range(20)}
        order = [str(getattr(one, "width", one)) for one in mixed]  # decides: mixed
        result = str(order)  # ends
    """,
    "classes": """
        made = [type(f"C{n}", (), {"number": n}) for n in range(40)]
        order = [one.number for one in set(made)]  # decides: identity
        result = str(order)  # ends
    """,
    "hash_of_a_word": """
        numbers = []
        for word in "the quick brown fox".split():
            numbers.append(hash(word) % 1000)  # decides: string
        result = str(numbers)  # ends
    """,
    "an_idle_walk_first": """
        labels = {"cat", "dog", "bird", "fish", "horse", "cow"}
        width = 0
        for label in labels:
            width = max(width, len(label))
        index = {label: n for n, label in enumerate(labels)}  # decides: string
        result = str([index["cat"], index["dog"]])  # ends
    """,
    "an_idle_walk_of_the_same_name": """
        labels = {"cat", "dog", "bird", "fish", "horse", "cow"}
        for label in labels:
            longest = max([label], key=len)
        index = {}
        for label in labels:  # decides: string
            index[label] = len(index)
        result = str([index["cat"], index["dog"]])  # ends
    """,
    "an_idle_walk_in_the_constructor": """
        class Table:
            def __init__(self, labels):
                self.width = 0
                for label in labels:
                    self.width = max(self.width, len(label))
                self.index = {label: n for n, label in enumerate(labels)}  # decides: string
            def row(self, label):
                return self.index[label]
        table = Table({"cat", "dog", "bird", "fish", "horse", "cow"})
        result = str([table.row("cat"), table.row("dog")])  # ends
    """,
    "an_idle_search_that_goes_other_ways": """
        def cluster(links, start):
            found, stack = {start}, [start]
            while stack:
                for other in links[stack.pop()]:
                    if other not in found:
                        found.add(other)
                        stack.append(other)
            return found
        def resolve(links, usage):
            best = {}
            for name in list(links):
                group = cluster(links, name)
                best[name] = max(group, key=usage.get)  # decides: string
            return best
        words = [f"word {n}" for n in range(24)]
        links = {
            word: {words[n // 6 * 6 + (n + k) % 6] for k in (1, 2, 4)}
            for n, word in enumerate(words)
        }
        terms = sorted(set(resolve(links, dict.fromkeys(words, 1)).values()))
        result = str(terms)  # ends
    """,
    "ties_that_show_later_than_an_idle_walk": """
        def resolve(groups, usage):
            chosen = {}
            for number, group in enumerate(groups):
                best = max(group, key=usage.get)  # decides: string
                chosen.update((member, best if number else "first") for member in group)
            return chosen
        words = [f"word {n}" for n in range(24)]
        groups = [set(words[n : n + 6]) for n in range(0, 24, 6)]
        usage = {word: n < 6 and n for n, word in enumerate(words)}
        terms = sorted(set(resolve(groups, usage).values()))
        result = str(terms)  # ends
    """,
    "drawers_of_objects": """
        from store import Item
        class Cabinet:
            def __init__(self, made):
                self.drawers = {}
                for one in made:
                    self.drawers.setdefault(one.width % 2, set()).add(one)
        def draw(cabinet, drawer):
            items = list(cabinet.drawers[drawer])  # decides: identity
            return [one.width for one in items]
        result = str(draw(Cabinet([Item(n) for n in range(40)]), 1))  # ends
    """,
    "neighbours_in_a_graph": """
        from collections import defaultdict
        links = defaultdict(set)
        for n in range(20):
            links["hub"].add(f"word {n}")
        order = []
        for other in links["hub"]:  # decides: string
            order.append(other)
        result = str(order)  # ends
    """,
    "an_idle_walk_of_objects": """
        from store import Item
        made = [Item(n) for n in range(40)]
        kept = set(made)
        for one in kept:
            last = one.width
        order = [one.width for one in kept]  # decides: identity
        result = str(order)  # ends
    """,
}

WITHOUT_DIFFERENCE = {
    "sorted_by_address": """
        from store import Item
        made = [Item(n * 7 % 40) for n in range(40)]
        order = sorted(made, key=id)  # decides: identity
        result = str([one.width for one in order])  # ends
    """,
    "numbers": """
        chosen = {n * 17 % 101 for n in range(20)}
        order = [n + 1 for n in chosen]  # decides: value
        result = str(order)  # ends
    """,
    "pairs_of_numbers": """
        chosen = {(n, n + 0.5) for n in range(20)}
        order = list(chosen)  # decides: value
        result = str(order)  # ends
    """,
}
