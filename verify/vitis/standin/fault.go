package standin

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Kind is how a tool fails.
type Kind string

// The kinds of faults. Those with known causes say what the vendor's tools say.
const (
	BoardFile    Kind = "board file missing"
	Licence      Kind = "licence"
	Timing       Kind = "timing not met"
	Overflow     Kind = "SLR overflow"
	Unconnected  Kind = "unconnected stream"
	WrongPort    Kind = "wrong port name"
	DiskFull     Kind = "disk full"                        // half of the outputs, a message, exit 1
	Segmentation Kind = "segmentation fault"               // exit 139
	OutOfMemory  Kind = "out of memory"                    // killed, without a word
	HalfExit0    Kind = "half-written output, exit 0"      //
	HalfKilled   Kind = "half-written output, then killed" //
	Nothing      Kind = "exit 0 without output"            //
	Empty        Kind = "empty output, exit 0"             //
	Hang         Kind = "hang"                             // deaf to SIGTERM and SIGINT, with a daemon
	Missed       Kind = "timing missed in the report"      // of the kernels' clock: the linker goes on
	Garbage      Kind = "garbage in the log"               // and goes on
	Slow         Kind = "slow"                             // by For, and goes on
)

// Fault is something that is to go wrong.
type Fault struct {
	Tool string // "v++"; "" for any
	// Contains is what the working directory and the arguments, joined by spaces,
	// must have in them.
	Contains string
	Kind     Kind
	Times    int           // how often; 0 for always
	For      time.Duration // of Slow
}

// SetFaults replaces what is to go wrong.
func (s *Site) SetFaults(faults []Fault) error {
	if err := os.RemoveAll(filepath.Join(s.Root, firedDir)); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(s.Root, firedDir), 0o777); err != nil {
		return err
	}
	return writeJSON(filepath.Join(s.Root, faultsFile), faults)
}

// Fault is what is to go wrong in a call: nil for nothing. Each call counts.
func (s *Site) Fault(tool, dir string, args []string) (*Fault, error) {
	var faults []Fault
	if err := readJSON(filepath.Join(s.Root, faultsFile), &faults); err != nil {
		if os.IsNotExist(err) {
			return nil, nil
		}
		return nil, err
	}
	text := dir + " " + strings.Join(args, " ")
	for i, f := range faults {
		if f.Tool != "" && f.Tool != tool || !strings.Contains(text, f.Contains) {
			continue
		}
		if f.Times == 0 {
			return &f, nil
		}
		for k := range f.Times { // whoever makes the file has this turn
			mark, err := os.OpenFile(filepath.Join(s.Root, firedDir, fmt.Sprintf("%d-%d", i, k)), os.O_CREATE|os.O_EXCL, 0o666)
			if err == nil {
				return &f, mark.Close()
			}
			if !os.IsExist(err) {
				return nil, err
			}
		}
	}
	return nil, nil
}
