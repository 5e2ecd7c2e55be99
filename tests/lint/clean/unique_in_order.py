words = "b a b".split()
numbers = {word: number for number, word in enumerate(dict.fromkeys(words))}
print(numbers)
