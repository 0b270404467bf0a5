"""From stability to the population: the published transfer theorems, by name, for comparison."""
