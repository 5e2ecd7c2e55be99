allowed = {"a", "b", "c"}
words = [word for word in "a d b".split() if word in allowed]
unknown = sorted(set(words) - allowed)
print(words, unknown, len(set(words)), max(set(words)))
