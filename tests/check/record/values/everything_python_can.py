# ruff: noqa
"""Looks at itself in every way that Python offers and prints what it sees: run plainly and with its
values traced, it must print the same."""

import asyncio
import contextlib
import io
import os
import pickle
import sys
import threading
import traceback
import weakref


class Loud:
    """Everything that could be asked of it tells."""

    asked = []

    def __init__(self):
        object.__setattr__(self, "inner", 3)

    def __getattr__(self, name):
        Loud.asked.append(name)
        raise AttributeError(name)

    def __getattribute__(self, name):
        Loud.asked.append(name)
        return object.__getattribute__(self, name)

    def __repr__(self):
        Loud.asked.append("repr")
        return "x"

    def __eq__(self, other):
        Loud.asked.append("eq")
        return False

    def __hash__(self):
        Loud.asked.append("hash")
        return 7

    def __len__(self):
        Loud.asked.append("len")
        return 0

    def __iter__(self):
        Loud.asked.append("iter")
        return iter(())

    def __bool__(self):
        Loud.asked.append("bool")
        return True

    def __index__(self):
        Loud.asked.append("index")
        return 1

    def __reduce__(self):
        Loud.asked.append("reduce")
        return (Loud, ())

    @property
    def prop(self):
        Loud.asked.append("prop")
        return 1


class LoudList(list):
    def __iter__(self):
        Loud.asked.append("list iter")
        return super().__iter__()

    def __len__(self):
        Loud.asked.append("list len")
        return super().__len__()

    def __getitem__(self, i):
        Loud.asked.append("list item")
        return super().__getitem__(i)


class LoudInt(int):
    def __index__(self):
        Loud.asked.append("int index")
        return 1

    def __hash__(self):
        Loud.asked.append("int hash")
        return 1


loud = Loud()
louds = [loud, loud]
loudlist = LoudList([1, 2])
loudint = LoudInt(2**80)
louddict = {"k": loud}
print("asked", Loud.asked)


class Mortal:
    def __init__(self, n):
        self.n = n

    def __del__(self):
        log.append(self.n)


log = []


def lifetimes():
    a = Mortal(1)
    del a
    log.append("after del")
    b = Mortal(2)
    b = None
    log.append("after None")
    c = Mortal(3)
    refs = sys.getrefcount(c)
    ref = weakref.ref(c)
    log.append(refs)
    del c
    log.append(ref() is None)
    return [Mortal(4).n]


lifetimes()
print(log)


def snapshot():
    names = locals()
    later = 1
    return sorted(names)


print(snapshot())

counter = 0


def closure():
    total = 0

    def add():
        nonlocal total
        for _ in range(1000):
            total += 1

    threads = [threading.Thread(target=add) for _ in range(1)]
    for t in threads:
        t.start()
    while any(t.is_alive() for t in threads):
        seen = total
        again = seen
    for t in threads:
        t.join()
    return total


print(closure())


def gen():
    try:
        got = yield 1
        print("got", got)
        yield 2
    except ValueError as error:
        print("thrown", error)
        yield 3
    finally:
        print("closed")


g = gen()
print(next(g), g.send("x"), g.throw(ValueError("v")))
g.close()


async def coro(n):
    await asyncio.sleep(0)
    return n * 2


async def main():
    return await asyncio.gather(coro(1), coro(2))


print(asyncio.run(main()))


def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


limit = sys.getrecursionlimit()
print(depth(500))
try:
    depth(100000)
except RecursionError as e:
    print("RecursionError")


class Space(dict):
    def __setitem__(self, k, v):
        seen.append(k)
        super().__setitem__(k, v)

    def __delitem__(self, k):
        seen.append("del " + k)
        super().__delitem__(k)

    def __getitem__(self, k):
        seen.append("get " + k)
        return super().__getitem__(k)


class Other:
    def __init__(self):
        self.d = {}

    def __setitem__(self, k, v):
        seen.append(k)
        self.d[k] = v

    def __getitem__(self, k):
        seen.append("get " + k)
        return self.d[k]

    def __delitem__(self, k):
        seen.append("del " + k)
        del self.d[k]

    def keys(self):
        return self.d.keys()


seen = []


class Meta(type):
    @classmethod
    def __prepare__(cls, name, bases):
        return Space()


class Body(metaclass=Meta):
    a = 1
    b = a + 1

    def m(self):
        return __class__

    del a


other = Other()
exec("q = 1\nw = q + 1\ndel q", {}, other)
print([s for s in seen if not s.startswith("get __")])
print(sys.gettrace(), sys.getprofile())
try:
    try:
        1 / 0
    except ZeroDivisionError as e:
        raise ValueError("later") from e
except ValueError:
    print(traceback.format_exc().replace(os.getcwd(), ""))
print(
    sorted(x * 2 for x in {1, 2, 3}), [y for y in range(3) if y], {k: v for k, v in zip("ab", "cd")}
)
print(pickle.loads(pickle.dumps(Mortal)) is Mortal, eval("[i for i in range(3)]"))
match [1, 2]:
    case [a, b]:
        print(a, b)
with contextlib.redirect_stdout(io.StringIO()) as out:
    print("inside")
print(out.getvalue().strip())
x = 1


def shadow(x=2, *args, y=3, **kwargs):
    def inner():
        return x, args, y, kwargs

    x += 1
    return inner()


print(shadow(5, 6, y=7, z=8))
sys.settrace(lambda *a: None)
after = 3
sys.settrace(None)
print("asked", Loud.asked)
