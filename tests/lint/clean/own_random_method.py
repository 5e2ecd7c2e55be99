class Table:
    def __init__(self):
        self.random = {"choice": 1}

    def shuffle(self):
        return sorted(self.random)


print(Table().shuffle())
