"""What each published route costs: its free parameters optimised, its bound evaluated there."""
