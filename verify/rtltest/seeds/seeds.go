// Package seeds gives the benches a seed beside those that they always run:
// the same in every run, unless another one is asked for.
package seeds

import "flag"

var more = flag.Uint64("tb.seed", 2, "seed of random stimulus, beside those that always run")

// More is that seed. Flags have to be parsed.
func More() uint64 { return *more }
