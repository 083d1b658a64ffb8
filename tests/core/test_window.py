from hypothesis import given
from hypothesis import strategies as st

from rostra.core.window import Window


@given(st.integers(1, 5), st.lists(st.integers(0, 8), max_size=60))
def test_a_key_is_refused_while_it_is_among_the_last_new_ones(size, keys):
    window = Window(size)
    new: list[int] = []
    for key in keys:
        assert (key in window) is (key in new[-size:])
        assert window.admit(key) is (key not in new[-size:])
        if key not in new[-size:]:
            new.append(key)
        assert len(window) == min(len(new), size)


def test_what_is_forgotten_is_new_again():
    window = Window(2)
    assert window.admit("a")
    window.forget("a")
    window.forget("never seen")
    assert window.admit("a")
    assert not window.admit("a")
