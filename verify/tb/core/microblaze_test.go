package core

import (
	"flag"
	"testing"
)

var vendorInstructions = flag.Int("tb.vendor", 400_000, "instructions of random programs behind the buses of the vendor's core")

func TestRandomProgramsBehindTheVendorsBuses(t *testing.T) {
	randomPrograms(t, MicroBlazeV, *vendorInstructions)
}

func TestFirmwareBootsBehindTheVendorsBuses(t *testing.T) { firmwareBoots(t, MicroBlazeV) }
