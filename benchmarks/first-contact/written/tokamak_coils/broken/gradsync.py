"""Average gradients over the ranks while backward is still running."""
import torch.distributed as dist


class GradSync:
    def __init__(self, module):
        self.world = dist.get_world_size()
        self.pending = []
        for p in module.parameters():
            dist.broadcast(p.data, src=0)
            p.register_post_accumulate_grad_hook(self._launch)

    def _launch(self, param):
        work = dist.all_reduce(param.grad, async_op=True)
        self.pending.append((param, work))

    def finish(self):
        for param, work in self.pending:
            work.wait()
            param.grad.div_(self.world)
        self.pending.clear()


def mean_over_ranks(value):
    dist.all_reduce(value)
    return (value / dist.get_world_size()).item()
