"""Decorators for results that may be a little out of date."""
import functools
import threading
import time


def ttl_cache(seconds):
    """Call the function anew when its last result is older than `seconds`, and give that result in between."""

    def decorate(function):
        lock = threading.Lock()
        expires = 0.0
        value = None

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            nonlocal expires, value
            with lock:
                now = time.monotonic()
                if now >= expires:
                    value = function(*args, **kwargs)
                    expires = now + seconds
                    wrapper.refreshes += 1
                return value

        wrapper.refreshes = 0
        return wrapper

    return decorate
