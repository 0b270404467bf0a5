"""Tables in databases: the aggregate goes to the rows, and only totals come back."""
