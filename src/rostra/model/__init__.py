"""The pure heart: events, types, topics, conditions and their algebra. No I/O, clocks, threads or randomness."""
