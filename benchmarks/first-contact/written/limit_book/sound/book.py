"""A limit order book with price-time priority."""
from dataclasses import dataclass, field


@dataclass(eq=False)
class Order:
    number: int
    side: str
    price: int
    size: int
    owner: int
    dead: bool = field(default=False, repr=False)


class Book:
    def __init__(self):
        self.levels = {"buy": {}, "sell": {}}
        self.orders = {}
        self.fills = []

    def best(self, side):
        prices = self.levels[side]
        if not prices:
            return None
        return max(prices) if side == "buy" else min(prices)

    def depth(self, side, ticks=5):
        """Resting size and number of orders at the best few prices, best first."""
        prices = sorted(self.levels[side], reverse=side == "buy")[:ticks]
        rows = [(sum(o.size for o in self.levels[side][p]), len(self.levels[side][p])) for p in prices]
        return rows + [(0, 0)] * (ticks - len(rows))

    def submit(self, order):
        other = "sell" if order.side == "buy" else "buy"
        while order.size:
            price = self.best(other)
            if price is None or (price > order.price if order.side == "buy" else price < order.price):
                break
            self.match(order, other, price)
        if order.size:
            self.orders[order.number] = order
            self.levels[order.side].setdefault(order.price, {})[order] = None

    def match(self, order, side, price):
        level = self.levels[side][price]
        own = {o for o in level if o.owner == order.owner}
        for resting in own:  # nobody trades with himself
            self.remove(resting)
        for resting in [o for o in level if o not in own]:
            traded = min(order.size, resting.size)
            order.size -= traded
            resting.size -= traded
            self.fills.append((resting.number, resting.owner, order.owner, price, traded))
            if not resting.size:
                self.remove(resting)
            if not order.size:
                break

    def cancel(self, number):
        order = self.orders.get(number)
        if order is not None:
            self.remove(order)

    def cancel_owner(self, owner):
        for order in {o for o in self.orders.values() if o.owner == owner}:
            self.remove(order)

    def remove(self, order):
        order.dead = True
        del self.orders[order.number]
        level = self.levels[order.side][order.price]
        level.pop(order)
        if not level:
            del self.levels[order.side][order.price]
