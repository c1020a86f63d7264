package firmware

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/firmware"
	"github.com/cclforge/cclforge/gen/designtest"
)

// The embedded images are what the sources make: byte for byte with the
// compiler that built them, and by the sum of their inputs without it.
func TestPrebuiltImages(t *testing.T) {
	for name, g := range designtest.Library(t).ABIs {
		t.Run(name, func(t *testing.T) {
			image, err := firmware.Prebuilt(name)
			assert.NilError(t, err)
			in, err := InputsOf(g)
			assert.NilError(t, err)
			const stale = "the prebuilt control firmware is not of these sources; run: go tool mage firmware"
			assert.Assert(t, image.Built.Generation == name && image.Built.Inputs == in.Sum(), stale)
			o := compiled(t, g)
			if o.compiler.Version != image.Built.Compiler {
				t.Skipf("SKIPPED: the image was built with %q, and here is %q", image.Built.Compiler, o.compiler.Version)
			}
			assert.Check(t, bytes.Equal(o.image.Code, image.Code) && bytes.Equal(o.image.Symbols, image.Symbols) &&
				o.image.Built == image.Built, stale)
		})
	}
}

// An image of other sources is told from the right one.
func TestStaleImages(t *testing.T) {
	g := *designtest.Library(t).ABIs["accl-2022"]
	g.Constants = slices.Clone(g.Constants)
	g.Constants[0].Value++
	in, err := InputsOf(&g)
	assert.NilError(t, err)
	image, err := firmware.Prebuilt(g.Name)
	assert.NilError(t, err)
	assert.Check(t, in.Sum() != image.Built.Inputs)
}

// room is what each image leaves free, for what is still to come: it links into a RAM that much smaller.
const room = 3968

func TestImagesLeaveRoom(t *testing.T) {
	for name, g := range designtest.Library(t).ABIs {
		o := compiled(t, g)
		args := append(flags(g.Memory(localRAM).Size-room), "-o", "firmware.elf", "-T", linkScript)
		err := o.compiler.run(t.Context(), o.dir, slices.Concat(args, o.of(".o"), []string{"-lgcc"}))
		assert.Check(t, err, "%s: fewer than %d bytes of its RAM are free", name, room)
	}
}

func TestErrorsOfTheCompilerAreShown(t *testing.T) {
	compiler := compilerOf(t)
	for _, g := range designtest.Library(t).ABIs {
		in, err := InputsOf(g)
		assert.NilError(t, err)
		for _, name := range in.names() {
			if filepath.Ext(name) == ".c" {
				in.files[name] = nil
			}
		}
		in.files["barrier.c"] = []byte("#error \"broken on purpose\"\n")
		_, err = in.Build(t.Context(), compiler)
		if err == nil || !bytes.Contains([]byte(err.Error()), []byte("barrier.c:1:2: error: #error \"broken on purpose\"")) {
			t.Errorf("error %v", err)
		}
		break
	}
}

func TestNoImage(t *testing.T) {
	_, err := firmware.Prebuilt("accl-1999")
	assert.Check(t, is.ErrorIs(err, firmware.ErrNoImage))
}

func TestNoCompiler(t *testing.T) {
	t.Setenv(CompilerVariable, "no-such-compiler")
	_, err := FindCompiler(t.Context())
	assert.Check(t, is.ErrorIs(err, ErrNoCompiler))
}

// compilerOf is the compiler of firmware; without one the test is skipped.
func compilerOf(t *testing.T) *Compiler {
	t.Helper()
	compiler, err := FindCompiler(t.Context())
	if errors.Is(err, ErrNoCompiler) {
		t.Skip("SKIPPED: ", err)
	}
	assert.NilError(t, err)
	return compiler
}
