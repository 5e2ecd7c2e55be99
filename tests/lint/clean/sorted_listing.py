import os

names = sorted(os.listdir("."))
for name in names:
    print(name)
