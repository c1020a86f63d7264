package vitis

import "flag"

var (
	everything = flag.Bool("everything", false, "build each platform with each version, and have everything go wrong at each step")
	interrupts = flag.Int("interrupts", 12, "how many builds are interrupted")
	seed       = flag.Uint64("seed", 7, "decides when builds are interrupted")
)
