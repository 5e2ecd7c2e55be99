class Vocabulary:
    def __init__(self, words):
        self.words = set(words)

    def known(self):
        return set(self.words)

    def add(self, words):
        for word in set(words):
            self.words.add(word)
