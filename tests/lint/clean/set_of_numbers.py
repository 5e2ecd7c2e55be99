for size in {16, 32, 64}:
    print([size])
sizes = list({1, 2, 3})
