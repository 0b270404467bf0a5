"""What every ledger of this folder is about. It never changes: fingerprints depend on it."""

ROWS = 2000

DATA: dict[str, list[float] | list[str]] = {
    "age": [float(18 + (7 * i) % 70) for i in range(ROWS)],
    "income": [float((i * i) % 90_000) for i in range(ROWS)],
    "city": [("Rome", "Oslo", "Lima")[i % 3] for i in range(ROWS)],
}
