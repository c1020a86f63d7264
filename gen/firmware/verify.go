package firmware

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/cclforge/cclforge/firmware"
	"github.com/cclforge/cclforge/gen/abi"
)

// ErrStale says that a prebuilt image is not what the sources make.
var ErrStale = errors.New("the prebuilt control firmware is not of these sources; run: go tool mage firmware")

// Verify holds the prebuilt image of a generation against the sources. With the
// compiler that built it every byte is compared; otherwise unverified says why
// only the sum of its inputs was. A nil compiler stands for none.
func Verify(ctx context.Context, c *Compiler, g *abi.Generation) (unverified string, err error) {
	image, err := firmware.Prebuilt(g.Name)
	if err != nil {
		return "", err
	}
	in, err := InputsOf(g)
	if err != nil {
		return "", err
	}
	if image.Built.Generation != g.Name || image.Built.Inputs != in.Sum() {
		return "", fmt.Errorf("%s: %w", g.Name, ErrStale)
	}
	if c == nil {
		return fmt.Sprintf("there is no RISC-V compiler: install %s", Package), nil
	}
	if c.Version != image.Built.Compiler {
		return fmt.Sprintf("it was built with %q, and here is %q", image.Built.Compiler, c.Version), nil
	}
	again, err := in.Build(ctx, c)
	if err != nil {
		return "", err
	}
	if !bytes.Equal(again.Code, image.Code) || !bytes.Equal(again.Symbols, image.Symbols) || again.Built != image.Built {
		return "", fmt.Errorf("%s: %w", g.Name, ErrStale)
	}
	return "", nil
}
