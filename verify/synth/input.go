package synth

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/gen/workspace"
	"github.com/cclforge/cclforge/platforms"
)

// Load takes the kernels of a shipped platform.
func Load(name string) (Input, error) {
	lib, diags := platform.NewLibrary(lang.NewParser(), platforms.FS)
	if diags.HasErrors() {
		return Input{}, diags
	}
	if err := workspace.Find(name, lib.PlatformNames()); err != nil {
		return Input{}, err
	}
	d, diags := design.Load(lib, name, lang.Inputs{LookupEnv: func(string) (string, bool) { return "", false }})
	if diags.HasErrors() {
		return Input{}, diags
	}
	all, err := Rendered(d)
	if err != nil {
		return Input{}, err
	}
	in := Input{Clock: d.Platform.Clock, Boxes: map[string]Sources{}}
	if in.Kernels, err = KernelsOf(d, all); err != nil {
		return Input{}, err
	}
	for _, k := range in.Kernels {
		in.Boxes[k.ID] = k.BlackBoxes(all)
	}
	return in, nil
}

// Save keeps an input in a file, for another version of this program.
func (in Input) Save(file string) error {
	text, err := json.Marshal(in)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o666)
}

// ErrInput is wrapped by errors about a file that is no input.
var ErrInput = errors.New("no kernels were kept")

// Saved reads what Save has kept.
func Saved(file string) (Input, error) {
	var in Input
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &in)
	}
	if err != nil || len(in.Kernels) == 0 {
		return Input{}, fmt.Errorf("%w in %s: %w", ErrInput, file, err)
	}
	return in, nil
}
