"""The buffer against a plain list, and the law that nothing disappears."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rostra.core.buffer import Buffer, Outcome, Policy

OFFERS = st.tuples(
    st.just("offer"), st.integers(0, 12), st.sampled_from([None, "a", "b"]), st.integers(0, 2), st.booleans()
)
TAKES = st.tuples(st.just("take"), st.just(0), st.none(), st.just(0), st.booleans())
DISCARDS = st.tuples(st.just("discard"), st.just(0), st.sampled_from(["a", "b"]), st.just(0), st.booleans())
PROMISED = OFFERS.map(lambda offer: ("promised", *offer[1:]))
CLEARS = st.tuples(st.just("clear"), st.just(0), st.none(), st.just(0), st.booleans())
STEPS = st.one_of(OFFERS, OFFERS, PROMISED, TAKES, DISCARDS, CLEARS)


class Model:
    """The same, as plainly as it can be said: a list of (number, size, key, priority)."""

    def __init__(self, messages, size, policy):
        self.messages, self.size, self.policy = messages, size, policy
        self.waiting = []

    def full(self, size):
        return len(self.waiting) >= self.messages or sum(w[1] for w in self.waiting) + size > self.size

    def offer(self, entry, promised):
        dropped, superseded = [], []
        if entry[1] > self.size:
            return Outcome.DROPPED, dropped, superseded
        if self.policy is Policy.LATEST and entry[2] is not None:
            superseded = [w for w in self.waiting if w[2] == entry[2]]
            self.waiting = [w for w in self.waiting if w[2] != entry[2]]
        if promised:
            self.waiting.append(entry)
            return Outcome.ACCEPTED, dropped, superseded
        if self.full(entry[1]) and self.policy in (Policy.BLOCK, Policy.DROP_NEWEST, Policy.DISCONNECT):
            return (
                {
                    Policy.BLOCK: Outcome.WAIT,
                    Policy.DROP_NEWEST: Outcome.DROPPED,
                    Policy.DISCONNECT: Outcome.DISCONNECT,
                }[self.policy],
                dropped,
                superseded,
            )
        while self.full(entry[1]):
            dropped.append(self.waiting.pop(0))
        self.waiting.append(entry)
        return Outcome.ACCEPTED, dropped, superseded

    def take(self, last_first):
        if not self.waiting:
            return None
        highest = max(w[3] for w in self.waiting)
        chosen = [w for w in self.waiting if w[3] == highest][-1 if last_first else 0]
        self.waiting.remove(chosen)
        return chosen

    def ordered(self, last_first=False):
        return sorted(self.waiting, key=lambda w: (-w[3], -w[0] if last_first else w[0]))


@pytest.mark.parametrize("policy", list(Policy))
@given(
    st.integers(1, 4),
    st.integers(1, 10),
    st.lists(st.one_of(OFFERS, OFFERS, PROMISED, TAKES, DISCARDS, CLEARS), max_size=60),
)
def test_the_buffer_behaves_as_its_model_and_nothing_disappears(policy, messages, size, steps):
    buffer, model = Buffer(messages, size, policy), Model(messages, size, policy)
    offered = taken = dropped = refused = extra = 0
    for number, (action, bytes_, key, priority, last_first) in enumerate(steps):
        if action in ("offer", "promised"):
            entry = (number, bytes_, key, priority)
            assert buffer.has_room(bytes_) is not model.full(bytes_)
            assert not buffer.has_room(bytes_, besides=messages)
            promised = action == "promised"
            extra += promised
            verdict = buffer.offer(entry, size=bytes_, key=key, priority=priority, promised=promised)
            assert (verdict.outcome, *map(list, verdict[1:])) == model.offer(entry, promised)
            offered += 1
            dropped += len(verdict.dropped) + len(verdict.superseded)
            refused += verdict.outcome is not Outcome.ACCEPTED
        elif action == "take":
            found = buffer.take(last_first=last_first)
            assert found == model.take(last_first)
            taken += found is not None
        elif action == "discard":
            unwanted = [w for w in model.waiting if w[2] == key]
            model.waiting = [w for w in model.waiting if w[2] != key]
            assert buffer.discard(lambda w, key=key: w[2] == key) == len(unwanted)
            dropped += len(unwanted)
        else:
            cleared = buffer.clear()
            assert cleared == model.ordered()
            model.waiting.clear()
            taken += len(cleared)
        assert list(buffer) == model.ordered()
        assert list(buffer.peek(last_first=True)) == model.ordered(last_first=True)
        assert len(buffer) == len(model.waiting) <= messages + extra
        assert buffer.size == sum(w[1] for w in model.waiting) <= size * (extra + 1)
        assert offered == taken + dropped + refused + len(buffer)
