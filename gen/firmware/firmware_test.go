package firmware

import (
	"bytes"
	"errors"
	"testing"

	"github.com/cclforge/cclforge/firmware"
	"github.com/cclforge/cclforge/gen/designtest"
)

// The embedded images are what the sources make: byte for byte with the
// compiler that built them, and by the sum of their inputs without it.
func TestPrebuiltImages(t *testing.T) {
	compiler, err := FindCompiler(t.Context())
	if err != nil && !errors.Is(err, ErrNoCompiler) {
		t.Fatal(err)
	}
	for name, g := range designtest.Library(t).ABIs {
		t.Run(name, func(t *testing.T) {
			image, err := firmware.Prebuilt(name)
			if err != nil {
				t.Fatal(err)
			}
			in, err := InputsOf(g)
			if err != nil {
				t.Fatal(err)
			}
			if image.Built.Generation != name || image.Built.Inputs != in.Sum() {
				t.Errorf("the image is not of these sources; run: go tool mage firmware")
			}
			switch {
			case compiler == nil:
				t.Skipf("SKIPPED: no RISC-V compiler: the image was not built again; install %s", Package)
			case compiler.Version != image.Built.Compiler:
				t.Skipf("SKIPPED: the image was built with %q, not with %q: its bytes cannot be compared", image.Built.Compiler, compiler.Version)
			}
			again, err := in.Build(t.Context(), compiler)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(again.Code, image.Code) || !bytes.Equal(again.Symbols, image.Symbols) || again.Built != image.Built {
				t.Errorf("the image differs from what the sources make; run: go tool mage firmware")
			}
			if free := int(g.Memory(localRAM).Size) - len(again.Code); free <= 0 {
				t.Errorf("the image does not fit")
			}
		})
	}
}

func TestErrorsOfTheCompilerAreShown(t *testing.T) {
	compiler, err := FindCompiler(t.Context())
	if err != nil {
		t.Skip("SKIPPED: ", err)
	}
	for _, g := range designtest.Library(t).ABIs {
		in, err := InputsOf(g)
		if err != nil {
			t.Fatal(err)
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
	if _, err := firmware.Prebuilt("accl-1999"); !errors.Is(err, firmware.ErrNoImage) {
		t.Errorf("error %v", err)
	}
}

func TestNoCompiler(t *testing.T) {
	t.Setenv(CompilerVariable, "no-such-compiler")
	if _, err := FindCompiler(t.Context()); !errors.Is(err, ErrNoCompiler) {
		t.Errorf("error %v", err)
	}
}
