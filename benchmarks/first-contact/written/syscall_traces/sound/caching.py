"""Decorators for results that may be a little out of date."""
import functools
import threading


def refreshed(every):
    """Call the function anew on every `every`-th call only, and give its last result in between."""

    def decorate(function):
        lock = threading.Lock()
        calls = 0
        value = None

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            nonlocal calls, value
            with lock:
                if calls % every == 0:
                    value = function(*args, **kwargs)
                    wrapper.refreshes += 1
                calls += 1
                return value

        wrapper.refreshes = 0
        return wrapper

    return decorate
