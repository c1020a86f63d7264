package emit

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

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

// kernelDesign is a platform with a kernel at its stream, which may be one of files.
func kernelDesign(t *testing.T, kernel string, files map[string]string) *design.Design {
	t.Helper()
	all := map[string]string{"mine.hcl": `
platform "mine" {
  board = "u55c"
  cclo { kernel_stream = "` + kernel + `" }
  poe "tcp" {}
}`}
	maps.Copy(all, files)
	return designtest.Made(t, "mine", all)
}

func typedKernel(t *testing.T) map[string]string { return designtest.Files(t, "testdata/typed.txtar") }

// TestDriverCallsKernels has functions called that were generated for kernels.
func TestDriverCallsKernels(t *testing.T) {
	for _, c := range []struct {
		kernel, call string
		want         []any
		more         map[string]string
	}{
		{"vadd_put", "VaddPut(context.Background(), device{}, 1<<40, 2, -3, 4, 5, 1<<31)",
			[]any{"vadd_put", []uint64{1 << 40, 2, 0xFFFF_FFFD, 4, 5, 1 << 31}}, nil},
		{"typed_one", "TypedOne(context.Background(), device{}, -1, 1.5, -2, -1, -1, 1, 1<<39, 77)",
			[]any{"typed_one", []uint64{0xFFFF_FFFF, 0x3FC0_0000, 0xC000_0000_0000_0000, 1<<64 - 1, 0xFFFF_FFFF, 1, 1 << 39,
				77}}, typedKernel(t)},
	} {
		want, err := json.Marshal(c.want)
		assert.NilError(t, err)
		same(t, string(want)+"\n", driverRun(t, kernelDesign(t, c.kernel, c.more),
			strings.ReplaceAll(kernelProgram, "CALL", c.call)))
	}
}

func TestDriverSaysWhatArgumentsOfKernelsAre(t *testing.T) {
	text := string(codeFiles(t, kernelDesign(t, "typed_one", typedKernel(t)))[driverKernelsFile])
	for _, want := range []string{
		"// TypedOne calls the kernel typed_one and waits until it has ended. Has arguments of all kinds.",
		"//   - ctxArgument: ctx.\n", "//   - rateOf: rate_of.\n", "//   - last, an address: What stands last.\n",
		"func TypedOne(ctx context.Context, dev accl.Device, ctxArgument int32, rateOf float32, wide float64, most int64, " +
			"tiny int8, flag uint32, mask uint64, last uint64) error {",
	} {
		assert.Check(t, is.Contains(text, want), "there is no")
	}
}

// Platforms without kernels that hosts call have no such file.
func TestDriverWithoutKernels(t *testing.T) {
	for _, d := range []*design.Design{codeDesign(t, "u55c_tcp"), kernelDesign(t, "vadd_free", map[string]string{
		"kernels/vadd_free.hcl": `
kernel "vadd_free" {
  like   = "user_kernel"
  source = "xo"
  origin = "elsewhere"
}
`})} {
		if _, there := codeFiles(t, d)[driverKernelsFile]; there {
			t.Errorf("%s has %s", d.Platform.Name, driverKernelsFile)
		}
	}
}

// Names that would be the same in Go are an error, not a package that does not
// compile.
func TestKernelsWhoseNamesAreTaken(t *testing.T) {
	text := strings.Replace(typedKernel(t)["kernels/typed_one.hcl"], "typed_one", "open", 1)
	_, err := godriver(kernelDesign(t, "open", map[string]string{"kernels/open.hcl": text}))
	assert.Check(t, is.ErrorIs(err, ErrCollision))
	k := &design.Kernel{Name: "k", Arguments: []design.Argument{{Name: "a_b", Width: 32},
		{Name: "a__b", Width: 32, At: 4}}}
	_, err = goArguments(k)
	assert.Check(t, err != nil && slices.Contains(strings.Fields(err.Error()), "aB"), "%v", err)
}
