"""Everything on one machine: a Cloud and two devices of one person, in a folder that is thrown away."""
