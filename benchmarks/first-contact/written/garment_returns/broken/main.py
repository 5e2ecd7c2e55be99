import logging
import sys

import torch

from shop import Shop, open_shop
from ranker import PairSampler, Ranker, hit_rate

logging.basicConfig(stream=sys.stdout, format="%(levelname).1s %(message)s", level=logging.INFO)
log = logging.getLogger("garments")

SEED = 77
STEPS_PER_EPOCH = 60


def main():
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    connection = open_shop("shop.sqlite", seed=SEED)
    shop = Shop(connection)
    log.info("%d customers, %d variants, %d kept purchases",
             len(shop.customers), len(shop.variants), sum(map(len, shop.kept.values())))

    sampler = PairSampler(shop, seed=SEED)
    model = Ranker(len(shop.customers), len(shop.variants), dim=24)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.08)

    for epoch in range(10):
        total = 0.0
        for _ in range(STEPS_PER_EPOCH):
            customer, good, bad = sampler.batch(128)
            optimizer.zero_grad()
            loss = model.pairwise_loss(customer, good, bad)
            loss.backward()
            optimizer.step()
            total += loss.item()
        log.info("epoch %d: pairwise loss %.6f", epoch, total / STEPS_PER_EPOCH)

    for k in (5, 20):
        log.info("hit rate at %d: %.4f", k, hit_rate(model, shop, k))

    with connection:
        connection.execute("DROP TABLE IF EXISTS fit")
        connection.execute("CREATE TABLE fit (customer TEXT, sku TEXT, colour TEXT, size TEXT, score REAL)")
        for customer in shop.customers[:20]:
            for variant, score in model.top(shop, customer, 3):
                connection.execute("INSERT INTO fit VALUES (?, ?, ?, ?, ?)",
                                   (customer, variant.sku, variant.colour, variant.size, score))
    first = connection.execute("SELECT customer, sku, size, score FROM fit ORDER BY customer, score DESC LIMIT 5")
    for row in first:
        log.info("%s should like %s in %s (%.4f)", *row)
    connection.close()
    torch.save(model.state_dict(), "ranker.pt")


if __name__ == "__main__":
    main()
