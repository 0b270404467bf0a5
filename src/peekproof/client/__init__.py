"""Sessions with a gateway: the same interface, with answers rebuilt and certified here."""
