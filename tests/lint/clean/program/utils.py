from deeper import really_prepare


def prepare(seed):
    really_prepare(seed)
