import glob

files = glob.glob("*.npy")
files.sort()
rows = []
for file in files:
    rows.append(file)
