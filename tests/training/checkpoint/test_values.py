"""Every kind of value comes back with the same bits and the same type."""

from __future__ import annotations

import enum
import struct
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from samebits.errors import CheckpointError

NAN_WITH_PAYLOAD = struct.unpack("<d", struct.pack("<Q", 0xFFF8000000ABCDEF))[0]


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 1


Pair = namedtuple("Pair", "left right")

PLAIN = [
    None,
    True,
    0,
    1,
    -1,
    2**53 - 1,
    2**53,
    -(2**53),
    10**6000,
    0.0,
    -0.0,
    0.1,
    5e-324,
    1.7976931348623157e308,
    float("inf"),
    float("-inf"),
    NAN_WITH_PAYLOAD,
    complex(-0.0, float("nan")),
    "",
    "a\ud800\n\u202eb",
    b"",
    b"\x00\xff",
    bytearray(b"ab"),
    [],
    [1, 1.0, True, "1"],
    (),
    (1, (2, [3])),
    {},
    {"a": 1, "$": 2},
    {1: "a", "1": "b", (1, 2): "c", None: "d", 1.5: "e", True + 1: "f"},
    OrderedDict([("b", 1), ("a", 2)]),
    defaultdict(list, {"a": [1]}),
    defaultdict(None, {1: 2}),
    Counter({3: 2, 5: 1}),
    {1, 2, 3},
    frozenset({"a"}),
    deque([1, 2], maxlen=5),
    deque([1, 2]),
    range(1, 10, 3),
    torch.Size([2, 3]),
    torch.float32,
    torch.bfloat16,
    torch.device("cpu"),
    torch.device("cuda:3"),
]


@pytest.mark.parametrize("value", PLAIN, ids=lambda v: type(v).__name__)
def test_plain_values(value, there_and_back, same_bits):
    assert same_bits(there_and_back({"key": value})["key"], value)


@pytest.mark.parametrize(
    "value",
    [
        np.float32(-0.0),
        np.float64(NAN_WITH_PAYLOAD),
        np.int8(-3),
        np.uint64(2**64 - 1),
        np.bool_(True),
        np.complex64(1 - 2j),
        np.str_("grün"),
        np.datetime64("2020-01-01T00:00:01", "ns"),
        np.arange(6, dtype="<f4").reshape(2, 3),
        np.asfortranarray(np.arange(6, dtype=">i8").reshape(2, 3)),
        np.array(3.5),
        np.zeros((0, 4), np.uint16),
        np.array(["a", "bc"]),
        np.array([True, False]),
        np.array([1 + 2j]),
    ],
    ids=lambda v: f"{type(v).__name__}-{v.dtype}",
)
def test_numpy_values(value, there_and_back, same_bits):
    assert same_bits(there_and_back(value), value)


NAMES = """
    bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64
    complex32 complex64 complex128 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz
    float8_e8m0fnu
"""
DTYPES = [getattr(torch, name) for name in NAMES.split() if hasattr(torch, name)]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3, 4), (5, 0, 2)], ids=str)
def test_tensors_of_every_dtype(dtype, shape, there_and_back, same_bits):
    count = int(np.prod(shape)) * dtype.itemsize
    raw = torch.randint(0, 2 if dtype is torch.bool else 256, (count,), dtype=torch.uint8)
    tensor = raw.view(dtype).reshape(shape)
    assert same_bits(there_and_back(tensor), tensor)


@pytest.mark.parametrize(
    "tensor",
    [
        torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last),
        torch.randn(4, 5).t(),
        torch.randn(10)[::2],
        torch.randn(6, 6)[1:4, 2:5],
        torch.randn(1).expand(1000, 1000),
        torch.randn(3, 1, 2).permute(2, 0, 1),
        torch.randn(5, requires_grad=True),
        torch.nn.Parameter(torch.randn(2)),
        torch.nn.Parameter(torch.randn(2), requires_grad=False),
        torch.sparse_coo_tensor([[0, 0, 2]], [1.0, 2.0, 3.0], (4,), check_invariants=True),
        torch.sparse_coo_tensor([[1]], [1.0], (3,), is_coalesced=True, check_invariants=True),
    ],
    ids=lambda t: f"{tuple(t.shape)}-{t.layout}",
)
def test_layouts(tensor, there_and_back, same_bits):
    back = there_and_back(tensor)
    assert same_bits(back, tensor)
    if tensor.is_sparse:
        assert back.is_coalesced() == tensor.is_coalesced()


def test_a_few_elements_of_a_large_storage_leave_the_rest_behind(there_and_back):
    tensor = torch.randn(10**6)[:: 10**5]
    back = there_and_back(tensor)
    assert torch.equal(back, tensor)
    assert back.untyped_storage().nbytes() < 1000


def test_a_conjugate_keeps_its_values(there_and_back):
    tensor = torch.tensor([1 + 2j, 3 - 1j]).conj()
    assert torch.equal(there_and_back(tensor), tensor)


def test_one_object_in_two_places_is_one_object_again(there_and_back):
    tensor = torch.randn(4)
    back = there_and_back({"a": tensor, "b": [tensor]})
    assert back["a"] is back["b"][0]


def test_shared_memory_is_shared_again(there_and_back, same_bits):
    base = torch.arange(12.0)
    value = {"whole": base, "row": base.view(3, 4)[1], "bytes": base[2:4].view(torch.uint8)}
    back = there_and_back(value)
    assert same_bits(back, value)
    back["whole"][4] = 100
    assert back["row"][0] == 100
    back["bytes"].zero_()
    assert back["whole"][2:4].tolist() == [0, 0]


def test_memory_that_was_not_shared_is_not(there_and_back):
    base = torch.arange(12.0)
    back = there_and_back([base[:6], base[6:]])
    back[0].zero_()
    assert back[1].tolist() == [6, 7, 8, 9, 10, 11]
    assert back[1].untyped_storage().nbytes() == 24


def test_tied_tensors_keep_their_shape_in_the_file(there_and_back, tmp_path):
    from safetensors.torch import load_file

    weight = torch.randn(3, 4)
    back = there_and_back({"a": weight, "b": weight.view(3, 4)})
    assert back["a"].data_ptr() == back["b"].data_ptr()
    assert torch.equal(load_file(tmp_path / "tensors.safetensors")["x.a"], weight)


def test_the_versions_of_modules_survive(there_and_back, same_bits):
    state = torch.nn.BatchNorm1d(3).state_dict()
    back = there_and_back(state)
    assert same_bits(back, state)
    assert back._metadata[""]["version"] == 2


def test_an_optimizer_state(there_and_back, same_bits):
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 2))
    optimizer = torch.optim.AdamW(model.parameters(), amsgrad=True)
    model(torch.randn(5, 3)).sum().backward()
    optimizer.step()
    assert same_bits(there_and_back(optimizer.state_dict()), optimizer.state_dict())


def test_what_only_code_can_make_comes_from_the_live_object(there_and_back):
    value = {"colour": Colour.BLUE, "pair": Pair(1, torch.ones(2)), "f": len, "level": Level.LOW}
    live = {"colour": Colour.RED, "pair": Pair(0, 0), "f": len, "level": Level.LOW}
    back = there_and_back(value, live)
    assert back["colour"] is Colour.BLUE
    assert back["f"] is len
    assert type(back["level"]) is Level
    assert type(back["pair"]) is Pair
    assert back["pair"].right.tolist() == [1, 1]


@pytest.mark.parametrize("live", [None, {}, {"colour": 3}, {"colour": Level.LOW}], ids=repr)
def test_without_it_the_key_is_named(live, there_and_back):
    with pytest.raises(CheckpointError, match=r"x\.colour was a Colour"):
        there_and_back({"colour": Colour.RED}, live)


class Strange:
    pass


class StrangeTensor(torch.Tensor):
    pass


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (Strange(), "Strange"),
        (defaultdict(Strange), "makes its values by"),
        (np.array([None]), "dtype object"),
        (np.zeros(2, [("a", "f4")]), "dtype"),
        (torch.ones(2).as_subclass(StrangeTensor), "StrangeTensor"),
        (torch.ones(2, device="meta"), "no bits"),
        (iter([]), "iterator"),
    ],
    ids=lambda v: type(v).__name__,
)
def test_what_cannot_be_stored_is_named_by_its_key(value, what, there_and_back):
    with pytest.raises(CheckpointError, match=rf"x\.a\.1\.key .*{what}"):
        there_and_back({"a": [0, {"key": value}]})


def test_cycles_and_depth_are_refused(there_and_back):
    cycle: list = []
    cycle.append(cycle)
    with pytest.raises(CheckpointError, match="contains itself"):
        there_and_back(cycle)
    deep: list = []
    for _ in range(1000):
        deep = [deep]
    with pytest.raises(CheckpointError, match="levels deep"):
        there_and_back(deep)


def test_the_library_reads_the_file(there_and_back, tmp_path):
    from safetensors.torch import load_file

    tensors = {str(d): torch.ones(3, 5).to(d) for d in (torch.float32, torch.bool, torch.bfloat16)}
    there_and_back(tensors)
    read = load_file(tmp_path / "tensors.safetensors")
    assert all(torch.equal(read[f"x.{name}"], t) for name, t in tensors.items())


leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.complex_numbers(),
    st.text(),
    st.binary(),
    hnp.arrays(
        st.sampled_from([np.float32, np.int64, np.bool_, np.complex64, np.uint8]),
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
    ),
)
keys = st.one_of(st.text(), st.integers(), st.booleans(), st.tuples(st.integers(), st.text()))
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner),
        st.dictionaries(keys, inner, max_size=4),
        st.dictionaries(keys, inner, max_size=4).map(OrderedDict),
    ),
    max_leaves=12,
)


@given(tree=trees)
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_tree_comes_back(tree, there_and_back, same_bits):
    assert same_bits(there_and_back(tree), tree)
