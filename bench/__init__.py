"""Benchmarks: `make bench` prints them, `make figures` also draws them. Every figure is a ratio within one run."""
