"""A master and its workers: every job is done by exactly one of them, also when one is unreliable.

Workers subscribe one-for-all, with `remove`: who gets a job removes it from the collection. They take turns; when
the one whose turn it is fails, the job goes to the next.
"""

import logging
from collections import Counter

import rostra
from rostra import DAStrongSet, Failure

JOBS = 30


class Job(rostra.Event):
    """Something to do."""

    number: int


class Worker:
    """Does jobs, save those it is afraid of: multiples of a number."""

    def __init__(self, name: str, *, afraid_of: int | None = None) -> None:
        self.name = name
        self._afraid_of = afraid_of
        self.done: list[int] = []

    def work(self, job: Job) -> None:
        if self._afraid_of and job.number % self._afraid_of == 0:
            raise RuntimeError(f"{self.name} cannot do job {job.number}")
        self.done.append(job.number)


def main() -> None:
    logging.getLogger("rostra").setLevel(logging.CRITICAL)  # failures are expected here, and printed below
    jobs = DAStrongSet[Job]("/jobs")
    workers = [Worker("Ann"), Worker("Ben"), Worker("Cy", afraid_of=2)]
    failures: list[Failure] = []
    subscriptions = [
        # "serial": the master goes on while they work, each on one job at a time. "block": should their queues
        # ever be full, the master waits; otherwise the oldest jobs would be dropped.
        jobs.remove(worker.work, run="serial", policy="block", on_error=failures.append)
        for worker in workers
    ]

    for number in range(1, JOBS + 1):
        jobs.add(Job(number))
    rostra.connect().flush()  # wait until all is done

    print("Shares")
    for worker, subscription in zip(workers, subscriptions, strict=True):
        print(f"  {worker.name:<4} {subscription.delivered:>2} jobs: {sorted(worker.done)}")

    times = Counter(number for worker in workers for number in worker.done)
    print(f"\nDone exactly once: {sum(count == 1 for count in times.values())} of {JOBS}")
    print(f"Failed and passed on: {len(failures)}, the first because {failures[0].error}")

    stats = subscriptions[0].stats  # of the group: its members share the messages, so they share the figures
    print(f"\nThe group was offered {stats.offered}, handled {stats.delivered}, had {stats.errors} errors,")
    print(f"lost {stats.dropped + stats.dead + stats.expired}, has {stats.pending} left; balanced: {stats.is_balanced}")


if __name__ == "__main__":
    main()
