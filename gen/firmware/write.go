package firmware

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cclforge/cclforge/firmware"
	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/output"
)

// Written says what became of the image of a generation.
type Written struct {
	Generation string
	Bytes      int // of program and constants
	RAMBytes   uint32
	Changed    bool
}

// Write builds the image of a generation into a directory. Nothing is written
// unless it builds, and only what changed.
func Write(ctx context.Context, c *Compiler, g *abi.Generation, dir string) (*Written, error) {
	in, err := InputsOf(g)
	if err != nil {
		return nil, err
	}
	image, err := in.Build(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g.Name, err)
	}
	built, err := json.MarshalIndent(image.Built, "", "  ")
	if err != nil {
		return nil, err
	}
	w := &Written{Generation: g.Name, Bytes: len(image.Code), RAMBytes: g.Memory(localRAM).Size}
	code, symbols, record := firmware.Files(g.Name)
	for name, content := range map[string][]byte{code: image.Code, symbols: image.Symbols, record: append(built, '\n')} {
		changed, err := replace(filepath.Join(dir, name), content)
		if err != nil {
			return nil, fmt.Errorf("write the control firmware: %w", err)
		}
		w.Changed = w.Changed || changed
	}
	return w, nil
}

// replace writes a file whole or not at all.
func replace(name string, content []byte) (changed bool, err error) {
	old, err := os.ReadFile(name)
	if err == nil && bytes.Equal(old, content) {
		return false, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	err = output.WriteFile(name, content, 0o644)
	return err == nil, err
}
