package vitis

import (
	"flag"

	"github.com/cclforge/cclforge/gen/nightly"
)

var (
	everything = flag.Bool("everything", false,
		"build each platform with each version, and have everything go wrong at each step")
	interrupts = flag.Int("interrupts", nightly.Of(3, 12), "how many builds are interrupted")
	seed       = flag.Uint64("seed", 7, "decides when builds are interrupted")
)
