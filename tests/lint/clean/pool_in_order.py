from multiprocessing import Pool

if __name__ == "__main__":
    with Pool(2) as pool:
        print(list(pool.imap(abs, range(4))))
