package moves

import (
	"fmt"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/verify/rtltest/pins"
)

const (
	platform  = "u55c_tcp"
	queues    = 4
	beatBytes = 64
	mostBytes = 4096 // of a slice
)

// codes are the bits of return codes, by name.
func codes() (map[string]uint64, error) {
	d, err := pins.Design(platform)
	if err != nil {
		return nil, err
	}
	bits := map[string]uint64{}
	for _, b := range d.ABI().BitSet(abi.ReturnCode).Bits {
		bits[b.Name] = 1 << b.At
	}
	return bits, nil
}

// differs says that something is not as it ought to be.
func differs(what string, got, want any) error {
	return fmt.Errorf("%s is %v, not %v", what, got, want)
}
