"""The checks that every bus must pass, over the embedded one."""

from collections.abc import Iterator

import pytest

from rostra.bus.embedded import EmbeddedBus
from rostra.testing import collections as checks


class Embedded:
    """Every participant on one embedded bus."""

    def __init__(self) -> None:
        self._bus = EmbeddedBus("conformance")

    def bus(self) -> EmbeddedBus:
        return self._bus

    def settle(self) -> None:
        assert self._bus.flush(30)

    def close(self) -> None:
        assert self._bus.close()


@pytest.fixture
def world() -> Iterator[Embedded]:
    embedded = Embedded()
    yield embedded
    embedded.close()


def test_the_suite_runs_as_one_call_and_nothing_is_missing_below():
    checks.check_collection(Embedded)
    assert all(f"test_{check.__name__}" in globals() for check in checks.COLLECTION_CHECKS)


@pytest.mark.spec("A4")
@pytest.mark.spec("A2", "A9", partly=True)
def test_everyone_gets_each_message_and_its_topic(world):
    checks.everyone_gets_each_message_and_its_topic(world)


@pytest.mark.spec("A4")
@pytest.mark.spec("C2", partly=True)
def test_conditions_choose(world):
    checks.conditions_choose(world)


@pytest.mark.spec("A4")
def test_subtopics_that_come_later_are_heard(world):
    checks.subtopics_that_come_later_are_heard(world)


@pytest.mark.spec("A1")
def test_wildcards_address_many_topics(world):
    checks.wildcards_address_many_topics(world)


@pytest.mark.spec("C2", partly=True)
def test_topics_in_line_are_heard_once(world):
    checks.topics_in_line_are_heard_once(world)


@pytest.mark.spec("A5", partly=True)
def test_one_for_all_is_fair(world):
    checks.one_for_all_is_fair(world)


@pytest.mark.spec("A5", partly=True)
def test_one_for_all_asks_those_who_match(world):
    checks.one_for_all_asks_those_who_match(world)


@pytest.mark.spec("A5", partly=True)
def test_one_for_all_goes_on_when_one_fails(world):
    checks.one_for_all_goes_on_when_one_fails(world)


@pytest.mark.spec("A6")
def test_whoever_clears_hears_no_more(world):
    checks.whoever_clears_hears_no_more(world)


@pytest.mark.spec("A3", "A6")
@pytest.mark.spec("A7", "A8", partly=True)
def test_messages_are_pulled_in_either_order(world):
    checks.messages_are_pulled_in_either_order(world)


@pytest.mark.spec("A3")
def test_pulling_waits(world):
    checks.pulling_waits(world)


@pytest.mark.spec("A14", partly=True)
def test_sets_refuse_what_they_have(world):
    checks.sets_refuse_what_they_have(world)


@pytest.mark.spec("A14", partly=True)
def test_lists_keep_the_order_across_topics(world):
    checks.lists_keep_the_order_across_topics(world)


@pytest.mark.spec("A14", partly=True)
def test_sorted_collections_have_one_order(world):
    checks.sorted_collections_have_one_order(world)


@pytest.mark.spec("A14", partly=True)
def test_lists_keep_each_publishers_order(world):
    checks.lists_keep_each_publishers_order(world)


@pytest.mark.spec("B2", "B3", "B6")
def test_types_are_heard_with_and_without_subtypes(world):
    checks.types_are_heard_with_and_without_subtypes(world)


@pytest.mark.spec("B7")
def test_intersections_need_both_types(world):
    checks.intersections_need_both_types(world)


@pytest.mark.spec("A14", partly=True)
def test_the_weaker_guarantee_is_visible(world):
    checks.the_weaker_guarantee_is_visible(world)


@pytest.mark.spec("C2", partly=True)
def test_the_envelope_travels(world):
    checks.the_envelope_travels(world)


@pytest.mark.spec("C16", partly=True)
def test_what_has_expired_is_not_delivered(world):
    checks.what_has_expired_is_not_delivered(world)


@pytest.mark.spec("A15")
def test_leases_end(world):
    checks.leases_end(world)


@pytest.mark.spec("A17", partly=True)
def test_counters_account_for_everything(world):
    checks.counters_account_for_everything(world)


@pytest.mark.spec("A17", partly=True)
def test_callbacks_may_do_anything(world):
    checks.callbacks_may_do_anything(world)
