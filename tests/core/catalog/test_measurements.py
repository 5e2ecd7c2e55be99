# ruff: noqa: E501 (lines are as programs print them)
"""Lines that real trainings print: what differs in every run is taken out, and nothing else."""

from __future__ import annotations

import time
from datetime import datetime, timezone

import pytest

from samebits.core.catalog.measurements import (
    Span,
    is_table_header,
    normal_form,
    normal_lines,
    without_run_names,
    without_stamped_names,
)

# Lines of one program in two runs, in which nothing but time has passed.
HARMLESS = [
    (
        '{"seconds": {"simulation": 0.122, "training": 1.051}}',
        '{"seconds": {"simulation": 0.135, "training": 1.011}}',
    ),
    (
        "epoch 1  loss 0.891363  [0.14 s, 5% waiting]",
        "epoch 1  loss 0.891363  [0.13 s, 12% waiting]",
    ),
    (
        "took 0.14 s, of which 4.5 % of the time idle, waiting 7%",
        "took 0.15 s, of which 4 % of the time idle, waiting 8%",
    ),
    (
        "started Fri 27 Nov 19:26:41",
        "started Sat 28 Nov 00:02:05",
    ),
    (
        "kept in tmpqwertyui",
        "kept in tmpasdf_hjk",
    ),
    (
        "batched is 23.1x faster",
        "batched is 19x faster",
    ),
    (
        "wrote results_1795804235.json",
        "wrote results_1795804241.json",
    ),
    (
        "wrote results_1795804235.125.json",
        "wrote results_1795804241.250.json",
    ),
    (
        "Testing ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 5/5 0:00:01 • 0:00:00 98.21it/s",
        "Testing ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 5/5 0:00:01 • 0:00:00 101.55it/s",
    ),
    ("SPS: 186", "SPS: 1190"),
    ('  "training_s": 1.41,', '  "training_s": 1.38,'),
    ("train_ms=81.5", "train_ms=79.25"),
    ("written to runs/20261122-160134-a57da2", "written to runs/20261122-160142-fe6cab"),
    ("peak memory 312.5 MB, loss 0.5", "peak memory 298 MB, loss 0.5"),
    (
        "logging to runs/CartPole-v1__ppo__1__1795359609",
        "logging to runs/CartPole-v1__ppo__1__1795359731",
    ),
    (
        "run 3f2504e0-4f89-41d3-9a0c-0305e82c3301 saved",
        "run 90a1b2c3-0f19-4d3c-8a0c-1305e82c33ff saved",
    ),
    (
        "runs/events.out.tfevents.1795359609.host.11260.0",
        "runs/events.out.tfevents.1795359731.host.11299.0",
    ),
    (
        "iter 10: loss 4.1234, time 123.45ms, mfu 12.34%",
        "iter 10: loss 4.1234, time 99.1ms, mfu -100.00%",
    ),
    (
        "step 10 | loss 3.1234 | step time 12.34ms",
        "step 10 | loss 3.1234 | step time 9.01ms",
    ),
    (
        "Epoch: 0001 loss_train: 1.9 acc_train: 0.2 loss_val: 1.9 acc_val: 0.1 time: 0.0123s",
        "Epoch: 0001 loss_train: 1.9 acc_train: 0.2 loss_val: 1.9 acc_val: 0.1 time: 0.0200s",
    ),
    (
        "Total time elapsed: 12.3456s",
        "Total time elapsed: 9.1s",
    ),
    (
        "{'train_runtime': 12.3456, 'train_samples_per_second': 81.0, 'train_steps_per_second': 10.1, 'train_loss': 0.5, 'epoch': 3.0}",
        "{'train_runtime': 13.3456, 'train_samples_per_second': 71.0, 'train_steps_per_second': 1.1, 'train_loss': 0.5, 'epoch': 3.0}",
    ),
    (
        "{'train_runtime': '12.35', 'epoch': '3'}",
        "{'train_runtime': '2.35', 'epoch': '3'}",
    ),
    (
        "  train_runtime            = 0:00:12.34",
        "  train_runtime            = 0:00:02.34",
    ),
    (
        "  train_samples_per_second =     81.0",
        "  train_samples_per_second =      1.0",
    ),
    (
        "10/10 [==============================] - 1s 12ms/step - loss: 0.5 - accuracy: 0.9",
        "10/10 [==============================] - 0s 123us/step - loss: 0.5 - accuracy: 0.9",
    ),
    (
        "\u001b[1m10/10\u001b[0m \u001b[32m━━━━\u001b[0m\u001b[37m\u001b[0m \u001b[1m0s\u001b[0m 3ms/step - loss: 0.5",
        "\u001b[1m10/10\u001b[0m \u001b[32m━━━━\u001b[0m\u001b[37m\u001b[0m \u001b[1m1s\u001b[0m 30ms/step - loss: 0.5",
    ),
    (
        "2024-01-01 10:11:12 | INFO | train | epoch 001 | loss 10.2 | nll_loss 9.1 | ppl 560 | wps 1234.5 | ups 2.3 | wpb 3400 | bsz 120 | num_updates 10 | lr 1e-05 | gnorm 3.2 | train_wall 12 | wall 15",
        "2025-01-01 10:11:14 | INFO | train | epoch 001 | loss 10.2 | nll_loss 9.1 | ppl 560 | wps 234.5 | ups 2.1 | wpb 3400 | bsz 120 | num_updates 10 | lr 1e-05 | gnorm 3.2 | train_wall 2 | wall 1",
    ),
    (
        "Train: 0 [   0/1251 (  0%)]  Loss: 6.94 (6.94)  Time: 3.456s,   74.07/s  (3.456s,   74.07/s)  LR: 1.000e-05  Data: 2.123 (2.123)",
        "Train: 0 [   0/1251 (  0%)]  Loss: 6.94 (6.94)  Time: 0.456s,  174.07/s  (0.456s,  174.07/s)  LR: 1.000e-05  Data: 0.123 (0.123)",
    ),
    (
        "Epoch: [0][ 1/5]\tTime  1.23 ( 1.23)\tData  0.99 ( 0.99)\tLoss 7.0e+00 (7.0e+00)\tAcc@1   0.00 (  0.00)",
        "Epoch: [0][ 1/5]\tTime 11.23 (11.23)\tData  1.99 ( 1.99)\tLoss 7.0e+00 (7.0e+00)\tAcc@1   0.00 (  0.00)",
    ),
    (
        "| epoch   1 |   200/ 2983 batches | lr 20.00 | ms/batch 12.34 | loss  7.63 | ppl  2056.32",
        "| epoch   1 |   200/ 2983 batches | lr 20.00 | ms/batch  2.34 | loss  7.63 | ppl  2056.32",
    ),
    (
        "| end of epoch   1 | time: 12.34s | valid loss  5.5 | valid ppl 250.1",
        "| end of epoch   1 | time:  2.34s | valid loss  5.5 | valid ppl 250.1",
    ),
    (
        "eta: 0:12:34, time: 0.345, data_time: 0.012, memory: 1234, loss: 0.5",
        "eta: 0:02:34, time: 0.145, data_time: 0.112, memory: 1234, loss: 0.5",
    ),
    (
        "step 4 | loss: 5.9 | dt: 123.45ms | tok/sec: 12345",
        "step 4 | loss: 5.9 | dt: 23.45ms | tok/sec: 1345.2",
    ),
    (
        "Epoch 0: 100%|██████████| 10/10 [00:01<00:00,  9.1it/s, v_num=0, train_loss=0.5]",
        "Epoch 0: 100%|██████████| 10/10 [00:00<00:00, 19.1it/s, v_num=1, train_loss=0.5]",
    ),
    (
        "100%|██████████| 10/10 [00:10<00:00,  1.05s/it]",
        "100%|██████████| 10/10 [00:09<00:00,  1.05it/s]",
    ),
    (
        "\r  0%|  | 0/10 [00:00<?, ?it/s]\r100%|█| 10/10 [00:00<00:00, 12it/s]",
        "\r  0%|  | 0/10 [00:00<?, ?it/s]\r 50%|  | 5/10 [00:00<00:01, 3it/s]\r100%|█| 10/10 [00:00<00:00, 13it/s]",
    ),
    (
        "|    time_elapsed    | 3     |",
        "|    time_elapsed    | 14    |",
    ),
    (
        "|    fps             | 700   |",
        "|    fps             | 1200  |",
    ),
    (
        "1234 tok/s",
        "1300.5 tok/s",
    ),
    (
        "12.3ms/batch",
        "1.3 ms/batch",
    ),
    (
        "epoch 3 finished in 12.3",
        "epoch 3 finished in 11.9",
    ),
    (
        "Training took 1h 2m 3s",
        "Training took 2m 3.5s",
    ),
    (
        "took 12.5",
        "took 11.2",
    ),
    (
        "ETA: 00:12:01",
        "ETA: 01:12:01",
    ),
    (
        "saving to /tmp/tmpabc12345/model.pt",
        "saving to /tmp/tmpzzz12345/model.pt",
    ),
    (
        "worker pid 1234 ready",
        "worker pid 99 ready",
    ),
    (
        "rendezvous on port 43211, world size 2",
        "rendezvous on port 38077, world size 2",
    ),
    (
        "listening at tcp://127.0.0.1:43211",
        "listening at tcp://127.0.0.1:52011",
    ),
    (
        "process 12892",
        "process 903",
    ),
    (
        "region 3 from 12 at 0x7f3c5a1b2d90",
        "region 3 from 12 at 0x560c5a1b2d",
    ),
    (
        "nodes 0x7f3c5a1b2d90, 0x55d05a1b2d90",
        "nodes 0x7e3c5a1b2d90, 0x56005a1b2d90",
    ),
    (
        "started as process 12892, 2 threads",
        "started as process 22903, 2 threads",
    ),
    (
        "[pid=12] x",
        "[pid=13] x",
    ),
    (
        "Tue Jan  2 10:11:12 2024",
        "Wed Feb 12 01:11:12 2025",
    ),
    (
        "W1122 11:30:01.123000 12345 torch/distributed/run.py:774] x",
        "W1122 11:30:02.123000 2345 torch/distributed/run.py:774] x",
    ),
    (
        "[2024-01-02 10:11:12,123][INFO] - loss 0.5",
        "[2024-01-02 10:11:13,003][INFO] - loss 0.5",
    ),
    (
        "in runs/2024-01-02T101112.125, loss 0.5",
        "in runs/2024-01-03T111213.5, loss 0.5",
    ),
    (
        "time 1763809838.1",
        "time 1763809900.123",
    ),
    (
        "1763809838.123",
        "1763809839.5",
    ),
    (
        "throughput: 1,234.5 samples/sec",
        "throughput: 2,234.5 samples/sec",
    ),
    (
        "time (s): 12.3",
        "time (s): 1.3",
    ),
    (
        "elapsed_time_ms=12",
        "elapsed_time_ms=13",
    ),
    (
        "runs/Jan02_10-11-12_host",
        "runs/Jan03_11-12-13_host",
    ),
    (
        "speed: 12.3 samples/s, 1.2 GB/s",
        "speed: 2.3 samples/s, 1.1 GB/s",
    ),
    (
        "perf: 123 tokens per second",
        "perf: 125 tokens per second",
    ),
    ("epoch 3 (812 echograms/s)", "epoch 3 (790 echograms/s)"),
    ("3.1ex/s, 812 msgs/s", "3.2ex/s, 813 msgs/s"),
    ("45 seq/s, 312 row/s, 5 req/s", "46 seq/s, 313 row/s, 6 req/s"),
    ("frame/s 20, 12 kb/s, 3.2 GFlop/s", "frame/s 21, 13 kb/s, 3.3 GFlop/s"),
    (
        "2956 steps a second, 0.14 s of evaluation",
        "3013 steps a second, 0.13 s of evaluation",
    ),
    (
        "epoch 1 time=3 days, 10:11:12",
        "epoch 1 time=10:11:12",
    ),
    (
        "time/epoch 3.2",
        "time/epoch 3.3",
    ),
    (
        "      Epoch    GPU_mem   box_loss   cls_loss: 1.2: 100%|##########| 4/4 [00:02<00:00,  1.87it/s]",
        "      Epoch    GPU_mem   box_loss   cls_loss: 1.2: 100%|##########| 4/4 [00:01<00:00,  2.31it/s]",
    ),
    (
        "3 epochs completed in 0.012 hours.",
        "3 epochs completed in 0.014 hours.",
    ),
    (
        "Speed: 0.2ms preprocess, 45.1ms inference, 0.0ms loss, 1.3ms postprocess per image",
        "Speed: 0.3ms preprocess, 43.9ms inference, 0.0ms loss, 1.2ms postprocess per image",
    ),
    (
        "Epoch 1/5 | loss=0.6931 | 1.3s",
        "Epoch 1/5 | loss=0.6931 | 1.5s",
    ),
    (
        "[Epoch 1] loss: 0.6931, elapsed: 0:00:03.123456",
        "[Epoch 1] loss: 0.6931, elapsed: 0:00:04.000001",
    ),
    (
        "INFO:root:2024-05-06 07:08:09.123456 loss 0.5",
        "INFO:root:2024-05-06 07:09:09.123456 loss 0.5",
    ),
    (
        "07:08:09 - INFO - step 3",
        "07:08:10 - INFO - step 3",
    ),
    (
        "Started at Mon, 06 May 2024 07:08:09",
        "Started at Tue, 07 May 2024 07:09:10",
    ),
    (
        "Training complete in 0m 12s",
        "Training complete in 0m 9s",
    ),
    (
        "Training complete in 1m 2s",
        "Training complete in 0m 59s",
    ),
    (
        "--- 12.345678 seconds ---",
        "--- 2.345678 seconds ---",
    ),
    (
        "Wall time: 3.21 s",
        "Wall time: 2.99 s",
    ),
    (
        "CPU times: user 1.2 s, sys: 45 ms, total: 1.25 s",
        "CPU times: user 1.3 s, sys: 41 ms, total: 1.34 s",
    ),
    (
        "Inference: 34.5 FPS",
        "Inference: 36.1 FPS",
    ),
    (
        "5.23 it/s, loss 0.5",
        "5.01 it/s, loss 0.5",
    ),
    (
        "[pool] 8.99 M histories/s, 0.3 s",
        "[pool] 10.2 M histories/s, 0.25 s",
    ),
    (
        "global step 100: 1.23e+04 tokens/sec",
        "global step 100: 9.8e+03 tokens/sec",
    ),
    (
        "samples/sec: 1234.5",
        "samples/sec: 1199.0",
    ),
    (
        "examples_per_second=812.4",
        "examples_per_second=790.1",
    ),
    (
        "avg_step_time: 0.123 (loss 0.5)",
        "avg_step_time: 0.131 (loss 0.5)",
    ),
    (
        "step_time_ms 12.5 loss 0.5",
        "step_time_ms 11.5 loss 0.5",
    ),
    (
        "ETA 12:33, loss 0.5",
        "ETA 12:59, loss 0.5",
    ),
    (
        "1.2k it/s, loss 0.5",
        "1.3k it/s, loss 0.5",
    ),
    (
        "ETA 5m, loss 0.5",
        "ETA 6m, loss 0.5",
    ),
    (
        "remaining: 00:10:11",
        "remaining: 00:10:12",
    ),
    (
        "log file: /var/tmp/run_8fa31b2c/log.txt",
        "log file: /var/tmp/run_11aab2c9/log.txt",
    ),
    (
        "cache at /dev/shm/torch_1234_5678/x",
        "cache at /dev/shm/torch_4321_8765/x",
    ),
    (
        "checkpoint lightning_logs/version_3/checkpoints/epoch=0-step=4.ckpt",
        "checkpoint lightning_logs/version_4/checkpoints/epoch=0-step=4.ckpt",
    ),
    (
        "Process ID: 4711",
        "Process ID: 4712",
    ),
    (
        "[PID 4711] ready",
        "[PID 4712] ready",
    ),
    (
        "epoch: 1 time taken: 3.1",
        "epoch: 1 time taken: 4.1",
    ),
    (
        "time per epoch: 3.1 (total 2)",
        "time per epoch: 4.1 (total 2)",
    ),
    (
        '{"epoch": 1, "loss": 0.5, "time": 1.25}',
        '{"epoch": 1, "loss": 0.5, "time": 1.5}',
    ),
    (
        "epoch=1 loss=0.5 time=1.25s lr=0.1",
        "epoch=1 loss=0.5 time=1.5s lr=0.1",
    ),
    (
        "step 3/10 (1.2 s/step)",
        "step 3/10 (1.3 s/step)",
    ),
    (
        "throughput 12,345 tokens/s/gpu",
        "throughput 11,345 tokens/s/gpu",
    ),
    (
        "wandb: run-20240506_070809-abc",
        "wandb: run-20240506_070810-abc",
    ),
    ("saved in runs/26Nov-193512", "saved in runs/27Nov-081501"),
    ("26 November 2026, 13:51 on vm", "27 November 2026, 09:07 on vm"),
    ("saved/log/1126_133919/info.log", "saved/log/1127_091005/info.log"),
    ("53/53 0:00:00 111.50it/s v_num: b46b", "53/53 0:00:00 112.34it/s v_num: f3e5"),
]

# Lines that differ in what may be the name of a run.
NIGHT = Span(
    datetime(2026, 11, 28, 1, 2, tzinfo=timezone.utc).timestamp(),
    datetime(2026, 11, 28, 1, 8, tzinfo=timezone.utc).timestamp(),
)
NAMES = [
    ("10:11:12 run amber-7345, process 1234", "10:12:13 run copal-2210, process 1411"),
    ("run: eager-lagoon-159", "run: gentle-grove-143"),
    ('{"run_name": "eager-lagoon-159", "n": 1}', '{"run_name": "icy-dune-143", "n": 1}'),
    ("saved runs/eager-lagoon-159/model.pt", "saved runs/gentle-grove-143/model.pt"),
    ('{"name": "eager-lagoon-159"}', '{"name": "icy-dune-143"}'),
    ("run madder-1128-010341, torch 2.13.0", "run weld-1128-010355, torch 2.13.0"),
    ("in out/woad-20261128-0103", "in out/walnut-20261128-0107"),
    ('"in": "out/woad-2026-11-28_01-03-41"', '"in": "out/indigo-2026-11-28_01-04-55"'),
]
OTHER_NAMES = [
    ("best run: amber-7345", "best run: copal-2210"),
    ("run trial-117 won", "run trial-123 won"),
    ("run resnet-epoch-100", "run resnet-epoch-200"),
    ("run resnet-50", "run resnet-34"),
    ("run width-256", "run width-317"),
    ("run amber-7345 loss 0.5", "run amber-7345 loss 0.6"),
    ("chose amber-7345", "chose copal-2210"),
    ("runs amber-734.5", "runs amber-734.6"),
    ("madder 1128-010341", "weld 1128-010341"),
    ("acc0.93-1128-010341", "acc0.94-1128-010341"),
    ("width64-1128-010341", "width32-1128-010341"),
    ("madder-1128-010341: 0.5", "madder-1128-010341: 0.6"),
]


@pytest.mark.parametrize(("one", "other"), NAMES)
def test_the_name_of_a_run_may_be_a_configuration(one, other):
    """By its looks alone nobody can tell `run amber-7345` from `run width-1024`."""
    assert normal_form(one) != normal_form(other)
    one, other = (without_run_names(normal_form(line), NIGHT) for line in (one, other))
    assert one == other


@pytest.mark.parametrize(("one", "other"), OTHER_NAMES)
def test_what_else_is_called_so_is_no_name_of_a_run(one, other):
    assert without_run_names(one, NIGHT) != without_run_names(other, NIGHT)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("in out/woad-1128-010341", True),
        ("in out/woad-20261128-0104", True),
        ("in out/woad-261128-010430", True),
        ("in out/woad-1127-010341", False),
        ("in out/woad-1128-0134", False),
        ("held out: scan-1004-3302", False),
        ("train on visit-2019-0412", False),
        ("best architecture: hidden-1024-1024", False),
        ("in fold-1128-0103", False),
        ("best woad-1128-010341", False),
    ],
)
def test_a_word_before_a_date_names_a_run_at_that_time_alone(line, name):
    assert (without_stamped_names(line, NIGHT) != line) is name
    assert without_stamped_names(line, None) == line


def test_a_date_may_be_of_the_local_time(monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert without_stamped_names("in woad-1128-1003", NIGHT) == "in #"
        assert without_stamped_names("in woad-1128-0103", NIGHT) == "in #"
        assert without_stamped_names("in woad-1128-0903", NIGHT) != "in #"
    finally:
        monkeypatch.undo()
        time.tzset()


# Lines that differ in something that was computed, or may have been.
RESULTS = [
    ('{"durations": [3.1, 5.0]}', '{"durations": [3.1, 5.5]}'),
    ("5% waiting", "6% waiting"),
    ("12 ms, 5% of drivers waiting", "14 ms, 6% of drivers waiting"),
    ("accuracy 5% [0.14 s]", "accuracy 6% [0.13 s]"),
    ('"lap_total_s": 0.5,', '"lap_total_s": 0.6,'),
    ('"bearing_load_s": 0.5', '"bearing_load_s": 0.6'),
    ("total_s=0.5", "total_s=0.6"),
    ("4 beats a second", "5 beats a second"),
    ("heart rate 71.2 beats per minute", "heart rate 71.4 beats per minute"),
    ("heart rate: 71.2 per minute", "heart rate: 71.4 per minute"),
    ("mean wind 12.3 m/s", "mean wind 12.4 m/s"),
    ("wind (m/s): 12.3", "wind (m/s): 12.4"),
    ("mean_wind_m_per_s=12.3", "mean_wind_m_per_s=12.4"),
    ("yaw 0.31 rad/s, flow 3.1 ml/min", "yaw 0.32 rad/s, flow 3.2 ml/min"),
    ("5.1 spikes/s", "5.2 spikes/s"),
    ("beats_per_s=4.1", "beats_per_s=4.2"),
    ("mean_meters_per_second: 4.1", "mean_meters_per_second: 4.2"),
    ("71.2 Beats per minute", "71.4 Beats per minute"),
    ("12.3 K/s", "12.4 K/s"),
    ("5.1kilometers/s, 90 degs/s", "5.2kilometers/s, 91 degs/s"),
    ("3.1 syllables a second", "3.2 syllables a second"),
    ("test_ms: 0.5", "test_ms: 0.6"),
    ("Train_S: 0.5", "Train_S: 0.6"),
    ("epoch_s: 0x1f", "epoch_s: 0x2f"),
    (
        "1024x faster-rcnn",
        "512x faster-rcnn",
    ),
    (
        "upsampled 2x",
        "upsampled 4x",
    ),
    ("rows 1326_133919 used", "rows 1326_133920 used"),
    ("kept rows 1024-101400", "kept rows 1024-100900"),
    ("selected run: width_128", "selected run: width_384"),
    (
        "acc 5/5 ━━━━━━━━",
        "acc 5/5 ━━━━━━━",
    ),
    (
        "acc ━━━━━━━━ 0.52s",
        "acc ━━━━━━━ 0.51s",
    ),
    (
        "████████ 5/5 0.52s",
        "███████ 5/5 0.51s",
    ),
    (
        "loss 0.123",
        "loss 0.124",
    ),
    (
        "time 3.2 loss 0.5",
        "time 3.3 loss 0.6",
    ),
    (
        "total_timesteps | 2048",
        "total_timesteps | 4096",
    ),
    (
        "time step 5",
        "time step 6",
    ),
    (
        "number of parameters: 10.65M",
        "number of parameters: 10.66M",
    ),
    (
        "acc 91.5%",
        "acc 91.6%",
    ),
    (
        "12/100",
        "13/100",
    ),
    (
        "0.5312",
        "0.5313",
    ),
    (
        "epoch 1 took 3.2s, loss 0.5",
        "epoch 1, loss 0.5",
    ),
    (
        "loss=0.5 (0.5)",
        "loss=0.6 (0.5)",
    ),
    (
        "lr 0.1 mem 5",
        "lr 0.1 mem 6",
    ),
    (
        "Data: 0.5",
        "Data: 0.6",
    ),
    (
        "tensor([1, 2])",
        "tensor([1, 3])",
    ),
    (
        "score 3:2",
        "score 3:3",
    ),
    (
        "val_loss 0.5 | wall 12",
        "val_loss 0.6 | wall 12",
    ),
    (
        "100%|█| 10/10 [00:00<00:00, 12it/s, loss=0.5]",
        "100%|█| 10/10 [00:00<00:00, 12it/s, loss=0.6]",
    ),
    (
        "Time: 1.2, Loss: 3.4",
        "Time: 1.2, Loss: 3.5",
    ),
    (
        "Elapsed 3 Acc 0.5",
        "Elapsed 4 Acc 0.6",
    ),
    (
        "{'eval_loss': 0.1, 'eval_runtime': 1.0}",
        "{'eval_loss': 0.2, 'eval_runtime': 1.0}",
    ),
    (
        "times 3 4",
        "times 3 5",
    ),
    (
        "seed 1763809",
        "seed 1763810",
    ),
    (
        "0.123 s 0.5",
        "0.124 s 0.6",
    ),
    (
        "May 5 loss",
        "May 5 losss",
    ),
    (
        "<x at 0x7f00>",
        "<x at 0x7f10>",
    ),
    (
        "reward 12s",
        "rewards 12s",
    ),
    (
        "update 3",
        "update 4",
    ),
    (
        "runtime error 5",
        "runtime error 6",
    ),
    (
        "time 3.2 4.5",
        "time 3.2 4.6",
    ),
    (
        "ups and downs 3",
        "ups and downs 4",
    ),
    (
        "to process 4096 rows",
        "to process 4100 rows",
    ),
    (
        "process 12",
        "process 13",
    ),
    (
        "report 43211",
        "report 43212",
    ),
    (
        "port 4321.5",
        "port 4321.6",
    ),
    (
        "crc 0x7f3c5a1b",
        "crc 0x7f3c5a1c",
    ),
    (
        "pid controller 3",
        "pid controller 4",
    ),
    (
        "3 epochs completed, loss 0.012",
        "3 epochs completed, loss 0.014",
    ),
    (
        "Speed: 0.2ms, loss 0.0",
        "Speed: 0.2ms, loss 0.1",
    ),
    (
        '{"epoch": 1, "loss": 0.5, "time": 1.25}',
        '{"epoch": 1, "loss": 0.6, "time": 1.25}',
    ),
    (
        "timestep: 3",
        "timestep: 4",
    ),
    (
        "lifetime value 3",
        "lifetime value 4",
    ),
    (
        "top-5 0.9",
        "top-5 0.8",
    ),
    (
        "acc 0.5 (best 0.6)",
        "acc 0.5 (best 0.7)",
    ),
    (
        "samples: 123",
        "samples: 124",
    ),
    (
        "mse/step 0.5",
        "mse/step 0.6",
    ),
    (
        "loss/epoch 0.5",
        "loss/epoch 0.6",
    ),
    (
        "reward per batch 3",
        "reward per batch 4",
    ),
    (
        "val 1.2 m 3.4",
        "val 1.2 m 3.5",
    ),
    (
        "saved /data/out/model_0.51.pt",
        "saved /data/out/model_0.52.pt",
    ),
    ("delay_minutes: 8.3", "delay_minutes: 8.4"),
    ("sigma_s: 0.31", "sigma_s: 0.32"),
    # Quantities of a subject: whether they are times of the run, its clock has to tell.
    ('  "minutes": 8.3,', '  "minutes": 8.4,'),
    ("hours: 0.2", "hours: 0.3"),
    ('  "settling_s": 1.41,', '  "settling_s": 1.38,'),
    ('  "waiting_minutes": 8.3,', '  "waiting_minutes": 8.4,'),
    (
        "id 123e4567",
        "id 123e4568",
    ),
]


@pytest.mark.parametrize(("line", "other"), HARMLESS)
def test_measurements_of_time_are_taken_out(line, other):
    assert normal_form(line) == normal_form(other)


@pytest.mark.parametrize(("line", "other"), RESULTS)
def test_results_stay(line, other):
    assert normal_form(line) != normal_form(other)


def test_a_line_without_any_stays_as_it_is():
    assert normal_form("loss  0.5\t acc 3") == "loss  0.5\t acc 3"
    assert normal_lines("a\nb 1\n") == ["a", "b 1", ""]


def test_columns_of_a_table_that_are_named_for_time_are_taken_out():
    def table(seconds, loss, steps=100):
        return f"epoch,time,train_loss,total_timesteps,epoch_time\n1,{seconds},{loss},{steps},{seconds}\n"

    assert normal_lines(table(1.5, 0.5)) == normal_lines(table(2.25, 0.5))
    assert normal_lines(table(1.5, 0.5)) != normal_lines(table(1.5, 0.6))
    assert normal_lines(table(1.5, 0.5)) != normal_lines(table(1.5, 0.5, steps=101))
    assert normal_lines("loss,accuracy\n1,2\n") == ["loss,accuracy", "1,2", ""]


def test_columns_that_were_named_before_are_taken_out_as_well():
    header = "epoch,seconds,loss"
    assert normal_lines("1,2.5,0.5\n", header) == normal_lines("1,3.5,0.5\n", header)
    assert normal_lines("1,2.5,0.5\n", header) != normal_lines("1,2.5,0.6\n", header)


@pytest.mark.parametrize(
    ("line", "is_header"),
    [
        ("epoch,loss", True),
        ('"epoch", "loss"', True),
        ("epoch", False),
        ("1,0.5", False),
        ("name,-0.5", False),
        ("epoch,,loss", False),
        ('{"epoch": 1, "loss": 2}', False),
    ],
)
def test_a_line_that_names_columns_holds_no_number(line, is_header):
    assert is_table_header(line) == is_header


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ('"seconds": {\n "gelu": 0.812,\n "b": 2\n}', '"seconds": {\n "gelu": #,\n "b": #\n}'),
        ('{"fit_seconds": [0.5, 1.25], "n": [3, 4]}', '{"fit_seconds": [#, #], "n": [3, 4]}'),
        ("{'elapsed': {'a 3': 1e-3}}", "{'elapsed': {'a 3': #}}"),
        ('{"durations": [3.1, 5.0]}', '{"durations": [3.1, 5.0]}'),
        ('{"survival_times": {"a": 3}}', '{"survival_times": {"a": 3}}'),
        ('{"remaining": {"apples": 3}}', '{"remaining": {"apples": 3}}'),
        ('{"seconds": {"best": "a 3"}}', '{"seconds": {"best": "a 3"}}'),
        ('{"time": [0.5, 1.0]}', '{"time": [0.5, 1.0]}'),
        ('{"rmse": {"gelu": 0.5}}', '{"rmse": {"gelu": 0.5}}'),
    ],
    ids=[
        *("an object", "a list", "a dict", "durations of words", "of patients", "what is left"),
        *("text", "an axis", "results"),
    ],
)
def test_numbers_that_are_held_under_a_name_for_time_are_times(text, form):
    assert [" ".join(line.split()) for line in normal_lines(text)] == [
        " ".join(line.split()) for line in form.split("\n")
    ]
