package block

import "flag"

var more = flag.Uint64("tb.seed", 2, "seed of random stimulus, beside those that always run")

// ExtraSeed is that seed. Flags have to be parsed.
func ExtraSeed() uint64 { return *more }
