package emit

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/designtest"
)

// kernelProgram calls functions of a driver package, on a device that prints what
// it gets.
const kernelProgram = `package main

import (
	"context"
	"encoding/json"
	"os"

	"github.com/cclforge/cclforge/driver/accl"
	p "generated/NAME"
)

type device struct{ accl.Device }

func (device) CallKernel(_ context.Context, kernel string, arguments ...uint64) error {
	return json.NewEncoder(os.Stdout).Encode([]any{kernel, arguments})
}

func main() {
	if err := p.CALL; err != nil {
		panic(err)
	}
}
`

const typedKernel = `
kernel "typed_one" {
  doc     = "Has arguments of all kinds."
  role    = "user"
  source  = "xo"
  origin  = "elsewhere"
  control = "ap_ctrl_hs"
  port "s_axi_control" {
    axilite = "slave"
    width   = 32
    range   = hex("1000")
  }
  port "m_axi_gmem" {
    axi   = "master"
    width = 512
  }
  port "out" {
    axis  = "out"
    width = 512
    tdest = 8
    joins = "kernel/in"
  }
  port "in" {
    axis  = "in"
    width = 512
    tdest = 8
    joins = "kernel/out"
  }
  argument "last" {
    at    = hex("60")
    width = 64
    type  = "ap_uint<512> *"
    port  = "m_axi_gmem"
    doc   = "What stands last."
  }
  argument "ctx" {
    at   = hex("10")
    type = "int"
  }
  argument "rate_of" {
    at   = hex("18")
    type = "float"
  }
  argument "wide" {
    at    = hex("20")
    width = 64
    type  = "double"
  }
  argument "most" {
    at    = hex("2C")
    width = 64
    type  = "int64_t"
  }
  argument "tiny" {
    at   = hex("38")
    type = "int8_t"
  }
  argument "flag" {
    at   = hex("40")
    type = "bool"
  }
  argument "mask" {
    at    = hex("48")
    width = 64
    type  = "ap_uint<40>"
  }
}
`

// kernelDesign is a platform with a kernel, whose description may follow.
func kernelDesign(t *testing.T, kernel string, text ...string) *design.Design {
	t.Helper()
	files := map[string]string{"mine.hcl": `
platform "mine" {
  board = "u55c"
  cclo { kernel_stream = "` + kernel + `" }
  poe "tcp" {}
}
`}
	if len(text) > 0 {
		files["kernels/"+kernel+".hcl"] = text[0]
	}
	return designtest.Made(t, "mine", files)
}

// TestDriverCallsKernels has functions called that were generated for kernels.
func TestDriverCallsKernels(t *testing.T) {
	program := tool(t, "go", "what driver packages do when they run")
	for _, c := range []struct {
		kernel, call string
		want         []any
		more         []string
	}{
		{"vadd_put", "VaddPut(context.Background(), device{}, 1<<40, 2, -3, 4, 5, 1<<31)",
			[]any{"vadd_put", []uint64{1 << 40, 2, 0xFFFF_FFFD, 4, 5, 1 << 31}}, nil},
		{"typed_one", "TypedOne(context.Background(), device{}, -1, 1.5, -2, -1, -1, 1, 1<<39, 77)",
			[]any{"typed_one", []uint64{0xFFFF_FFFF, 0x3FC0_0000, 0xC000_0000_0000_0000, 1<<64 - 1, 0xFFFF_FFFF, 1, 1 << 39,
				77}}, []string{typedKernel}},
	} {
		d := kernelDesign(t, c.kernel, c.more...)
		dir := t.TempDir()
		put(t, dir, "main.go", strings.NewReplacer("NAME", "mine", "CALL", c.call).Replace(kernelProgram))
		for path, text := range codeFiles(t, d) {
			if strings.HasPrefix(path, "driver/") && !strings.HasSuffix(path, "_test.go") {
				put(t, dir, filepath.Join("mine", filepath.Base(path)), string(text))
			}
		}
		userModule(t, dir)
		want, err := json.Marshal(c.want)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want)+"\n", run(t, dir, program, "run", ".")); diff != "" {
			t.Errorf("%s: -expected +called:\n%s", c.kernel, diff)
		}
	}
}

func TestDriverSaysWhatArgumentsOfKernelsAre(t *testing.T) {
	text := string(codeFiles(t, kernelDesign(t, "typed_one", typedKernel))[driverKernelsFile])
	for _, want := range []string{
		"// TypedOne calls the kernel typed_one and waits until it has ended. Has arguments of all kinds.",
		"//   - ctxArgument: ctx.\n", "//   - rateOf: rate_of.\n", "//   - last, an address: What stands last.\n",
		"func TypedOne(ctx context.Context, dev accl.Device, ctxArgument int32, rateOf float32, wide float64, most int64, " +
			"tiny int8, flag uint32, mask uint64, last uint64) error {",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
}

// Platforms without kernels that hosts call have no such file.
func TestDriverWithoutKernels(t *testing.T) {
	for _, d := range []*design.Design{codeDesign(t, "u55c_tcp"), kernelDesign(t, "vadd_free", `
kernel "vadd_free" {
  like   = "user_kernel"
  source = "xo"
  origin = "elsewhere"
}
`)} {
		if _, there := codeFiles(t, d)[driverKernelsFile]; there {
			t.Errorf("%s has %s", d.Platform.Name, driverKernelsFile)
		}
	}
}

// Names that would be the same in Go are an error, not a package that does not
// compile.
func TestKernelsWhoseNamesAreTaken(t *testing.T) {
	text := strings.NewReplacer("typed_one", "open").Replace(typedKernel)
	_, err := godriver(kernelDesign(t, "open", text))
	if !errors.Is(err, ErrCollision) {
		t.Error(err)
	}
	k := &design.Kernel{Name: "k", Arguments: []design.Argument{{Name: "a_b", Width: 32},
		{Name: "a__b", Width: 32, At: 4}}}
	if _, err := goArguments(k); err == nil || !slices.Contains(strings.Fields(err.Error()), "aB") {
		t.Error(err)
	}
}
