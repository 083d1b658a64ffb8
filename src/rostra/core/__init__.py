"""State machines of delivery, without I/O: time, ids and messages come in as arguments, decisions come out."""
