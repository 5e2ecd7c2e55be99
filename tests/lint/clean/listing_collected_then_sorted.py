import os

found = []
for name in os.listdir("."):
    if name.endswith(".png"):
        found.append(name)
found.sort()
