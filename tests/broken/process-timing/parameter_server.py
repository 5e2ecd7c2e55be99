# samebits-test: verdict=different cause=process-timing
"""Workers push gradients to a server, which applies them once all of them have come."""

import tempfile
import threading

import torch
import torch.distributed.rpc as rpc
import torch.multiprocessing as mp

WORKERS, STEPS = 4, 60
lock, received = threading.Lock(), {}
weights = torch.zeros(16)
waiting = [torch.futures.Future()]


@rpc.functions.async_execution
def push(worker, gradient):
    with lock:
        answer, received[worker] = waiting[0], gradient  # culprit
        if len(received) == WORKERS:
            for arrived in received.values():  # culprit
                weights.sub_(0.1 * arrived)
            received.clear()
            waiting[0] = torch.futures.Future()
            answer.set_result(weights.clone())
        return answer


def work(rank, folder):
    store = rpc.TensorPipeRpcBackendOptions(init_method=f"file://{folder}/store")
    rpc.init_rpc(f"node{rank}", rank=rank, world_size=WORKERS + 1, rpc_backend_options=store)
    if rank > 0:
        generator, current = torch.Generator().manual_seed(rank), torch.zeros(16)
        for _ in range(STEPS):
            target = torch.randn(16, generator=generator)
            current = rpc.rpc_sync("node0", push, (rank, current - target))
    rpc.shutdown()
    if rank == 0:
        print(weights.tolist())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        mp.start_processes(work, args=(scratch,), nprocs=WORKERS + 1, start_method="fork")
