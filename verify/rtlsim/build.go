package rtlsim

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/templates"
	"github.com/cclforge/cclforge/verify/internal/tools"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
)

// shell is the C++ around the Verilated platform.
//
//go:embed shell
var shell embed.FS

// top is the module that is simulated: a whole platform.
const top = "platform_top"

// loopback is what platforms have at kernel streams that lead back to the engine.
const loopback = "loopback"

// ErrKernel says that the host cannot be at kernel streams.
var ErrKernel = errors.New("the host plays the user kernel where the platform has a loop-back alone")

// DefaultMillisecond is how many cycles the hardware takes for a millisecond: few,
// so that limits of milliseconds can be waited for.
const DefaultMillisecond = 2000

// Build says how the hardware of a platform is made into a library.
type Build struct {
	// KernelPort puts the host at the kernel streams in place of a loop-back.
	KernelPort bool
	// Careful checks assertions and gives registers without a reset random values.
	// These depend on what is built, so that waveforms are possible, too: a replay
	// begins with the same ones.
	Careful bool
	// Trace makes waveforms possible.
	Trace bool
	// Millisecond is how many cycles count as a millisecond; 0 for DefaultMillisecond.
	Millisecond int
}

// Library builds the library of a design, unless it is in the cache.
func Library(ctx context.Context, d *design.Design, b Build) (path string, err error) {
	if b.KernelPort && d.Platform.CCLO.KernelStream != loopback {
		return "", fmt.Errorf("simulate %s: %w", d.Platform.Name, ErrKernel)
	}
	sources, err := sources(d)
	if err != nil {
		return "", err
	}
	return build(ctx, sources, b, b.params())
}

// params are the parameters of the top module of a platform.
func (b Build) params() map[string]string {
	port := "0"
	if b.KernelPort {
		port = "1'b1" // without a width Verilator complains
	}
	return map[string]string{"MILLISECOND_CYCLES": fmt.Sprint(b.millisecond()), "KERNEL_PORT": port}
}

func (b Build) millisecond() int {
	if b.Millisecond > 0 {
		return b.Millisecond
	}
	return DefaultMillisecond
}

// build makes a library of a top module and the shell.
func build(ctx context.Context, sources []string, b Build, params map[string]string) (string, error) {
	from, err := newOrigin(sources, b, params)
	if err != nil {
		return "", err
	}
	library, err := from.library(ctx, b.Trace)
	if err == nil {
		originsLock.Lock()
		origins[library] = from
		originsLock.Unlock()
	}
	return library, err
}

// library builds the library, with waveforms or without.
func (from origin) library(ctx context.Context, trace bool) (string, error) {
	v := verilate.Build{Top: top, Sources: from.sources, Params: from.Params, Careful: from.Careful,
		Trace: trace || from.Careful}
	for _, f := range from.shell {
		switch name := filepath.Base(f); {
		case name == "shell.cpp":
			v.Shell = append(v.Shell, f)
		case strings.HasSuffix(name, ".cpp"):
			v.Apart = append(v.Apart, f)
		}
	}
	return v.Library(ctx)
}

// shellFiles are the files of the shell, in the cache.
func shellFiles() ([]string, error) {
	files, err := tools.Files(shell, "shell")
	if err != nil {
		return nil, err
	}
	if files[componentHeader], err = fs.ReadFile(templates.FS, path.Join("hls/sim", componentHeader)); err != nil {
		return nil, err
	}
	return verilate.Place(files)
}

// componentHeader says what libraries of kernels in C++ offer.
const componentHeader = "component.h"
