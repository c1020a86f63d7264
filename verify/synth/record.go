package synth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/verify/internal/tools"
)

// ErrSlower is wrapped by errors about kernels that have become slower than what is recorded.
var ErrSlower = errors.New("paths have more logic than is recorded")

// Record is what the kernels of platforms may take, by platform and kernel. It may only fall.
type Record struct {
	Yosys   string // version that mapped them: others map differently
	Kernels map[string]map[string]Recorded
}

// Recorded is what a kernel may take.
type Recorded struct {
	Logic  int // ps, the most of any path
	Beyond int // ends of paths that have more logic than the gate
}

// Recorded is what is recorded of a kernel.
func (t Timing) Recorded() Recorded { return Recorded{t.Logic, t.Beyond} }

// ReadRecord reads a record; a file that is not there is an empty one.
func ReadRecord(file string) (Record, error) {
	r := Record{Kernels: map[string]map[string]Recorded{}}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		return r, fmt.Errorf("read what is recorded of timing: %w", err)
	}
	return r, nil
}

// Lower takes over what kernels take now. It is an error if one takes more than is recorded with
// the same yosys, and then nothing is taken over.
func (r *Record) Lower(yosys, platform string, kernels []Timing) error {
	if r.Yosys != yosys {
		*r = Record{yosys, map[string]map[string]Recorded{}}
	}
	all := maps.Clone(r.Kernels[platform])
	if all == nil {
		all = map[string]Recorded{}
	}
	var worse []string
	for _, t := range kernels {
		now := t.Recorded()
		if was, there := all[t.Kernel]; there && (now.Logic > was.Logic || now.Beyond > was.Beyond) {
			worse = append(worse, fmt.Sprintf("%s: %d ps and %d ends beyond the gate, recorded are %d and %d", t.Kernel,
				now.Logic, now.Beyond, was.Logic, was.Beyond))
		}
		all[t.Kernel] = now
	}
	if len(worse) > 0 {
		slices.Sort(worse)
		return fmt.Errorf("%w: %s: %s", ErrSlower, platform, strings.Join(worse, "; "))
	}
	r.Kernels[platform] = all
	return nil
}

// LowerRecord lowers the figures of a platform in a file.
func LowerRecord(ctx context.Context, file, platform string, kernels []Timing) error {
	yosys, err := tools.Find(ctx, "yosys")
	if err != nil {
		return err
	}
	r, err := ReadRecord(file)
	if err == nil {
		err = r.Lower(yosys.Version, platform, kernels)
	}
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o666)
}
