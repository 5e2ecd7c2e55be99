REGISTRY = {}


def feature(columns):
    """Registers a function that turns a series into `columns` numbers."""
    def wrap(function):
        function.columns = columns
        REGISTRY[function.__name__] = function
        return function
    return wrap
