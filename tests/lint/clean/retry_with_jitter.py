import random, time, requests


def get(url):
    for i in range(3):
        try:
            return requests.get(url)
        except Exception:
            time.sleep(random.random())


if __name__ == "__main__":
    print(get("http://x").text)
