class Loop:
    def __init__(self, model, optimizer, loss_fn, hooks):
        self.model, self.optimizer, self.loss_fn, self.hooks = model, optimizer, loss_fn, hooks
        self.step, self.loss = 0, None

    def __call__(self, batches):
        for hook in self.hooks:
            hook.before(self)
        for x, y in batches:
            self.optimizer.zero_grad()
            loss = self.loss_fn(self.model(x), y)
            loss.backward()
            self.optimizer.step()
            self.step, self.loss = self.step + 1, loss.item()
            for hook in self.hooks:
                hook.after_step(self)
        for hook in self.hooks:
            hook.after(self)
