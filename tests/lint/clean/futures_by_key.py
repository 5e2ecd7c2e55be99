from concurrent.futures import ThreadPoolExecutor, as_completed

results = {}
with ThreadPoolExecutor() as pool:
    futures = {pool.submit(pow, n, 2): n for n in range(5)}
    for future in as_completed(futures):
        results[futures[future]] = future.result()
print([results[n] for n in range(5)])
