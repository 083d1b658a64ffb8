import itertools

import pytest

from rostra.core.guarantee import Guarantee, Order

ALL = [Guarantee(*parts) for parts in itertools.product([False, True], [False, True], Order)]


@pytest.mark.spec("A14", partly=True)
@pytest.mark.parametrize("one", ALL)
def test_the_weaker_guarantee_is_what_both_promise(one):
    for two in ALL:
        weaker = one.weaker(two)
        assert weaker == two.weaker(one)
        assert one.weaker(weaker) == two.weaker(weaker) == weaker  # neither promises less
        between = [g for g in ALL if one.weaker(g) == two.weaker(g) == g and g.weaker(weaker) == weaker]
        assert between == [weaker]  # and nothing more is promised by both
    assert one.weaker(one) == one


@pytest.mark.spec("A14", partly=True)
def test_guarantees_read_as_in_the_class_tree():
    assert str(Guarantee(reliable=False, unique=False, order=Order.NONE)) == "best effort"
    assert str(Guarantee(reliable=False, unique=True, order=Order.NONE)) == "at most once"
    assert str(Guarantee(reliable=True, unique=False, order=Order.FIFO)) == "at least once, FIFO"
    assert str(Guarantee(reliable=True, unique=True, order=Order.TOTAL)) == "exactly once, total order"
    assert len({str(guarantee) for guarantee in ALL}) == len(ALL)
