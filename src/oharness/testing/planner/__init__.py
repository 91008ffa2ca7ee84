"""The planner's proof: related notes drawn at random, carried out in memory, and judged by their texts alone."""
