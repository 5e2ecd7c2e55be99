"""Reads JSON lines on standard input, answers with the tokens of each line. Standard library only."""
import hashlib
import json
import os
import sys
import time


def bucket(word, buckets):
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big") % buckets


def main():
    buckets = int(sys.argv[1])
    seen = set()
    for line in sys.stdin:
        job = json.loads(line)
        words = job["text"].split()
        seen.update(words)
        json.dump({"row": job["row"], "ids": [bucket(w, buckets) for w in words], "pid": os.getpid(),
                   "time": time.time()}, sys.stdout)
        sys.stdout.write("\n")
        sys.stdout.flush()
    print(f"{len(seen)} different words", file=sys.stderr)


if __name__ == "__main__":
    main()
