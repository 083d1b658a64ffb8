"""The bus of one process: who publishes what, who hears it, in which order and on which thread."""
