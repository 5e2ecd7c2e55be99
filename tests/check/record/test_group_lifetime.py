"""A group of processes outlives the replicas that use it, and is let go right after them."""

from __future__ import annotations

from samebits.check.trace.reader import Trace


def test_a_group_is_kept_until_the_reducer_is_gone(scripts, tmp_path):
    script = scripts.write(f"""
        import gc, weakref, torch
        import torch.distributed as dist
        from torch.nn.parallel import DistributedDataParallel
        from samebits.check.record import group_lifetime

        def train():
            dist.init_process_group(
                "gloo", init_method="file://{tmp_path}/store", rank=0, world_size=1
            )
            model = DistributedDataParallel(torch.nn.Linear(2, 2))
            model(torch.ones(1, 2)).sum().backward()
            dist.destroy_process_group()
            ((group, owners),) = group_lifetime._kept.values()
            assert group is model.process_group
            assert [owner() for owner in owners] == [model.reducer, model.logger]

        train()
        gc.collect()
        print("kept:", len(group_lifetime._kept))
    """)
    _, result = scripts.recorded(script)
    assert "kept: 0\n" in Trace.open(result.folder).output()
