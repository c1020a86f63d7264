package firmware

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/firmware"
	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/emit"
)

const (
	headerName = "cclo_abi.h"
	linkScript = "cclo.ld"
	localRAM   = "local_ram" // memory of the generation
)

// Inputs are the files that an image of a generation is made of, by name.
type Inputs struct {
	generation string
	files      map[string][]byte
	flags      []string
}

// InputsOf collects the sources and the header of a generation.
func InputsOf(g *abi.Generation) (*Inputs, error) {
	ram := g.Memory(localRAM)
	if ram == nil {
		return nil, fmt.Errorf("interface generation %s has no memory %q", g.Name, localRAM)
	}
	in := &Inputs{generation: g.Name, files: map[string][]byte{}, flags: flags(ram.Size)}
	rendered, err := emit.Generation(g)
	if err != nil {
		return nil, fmt.Errorf("render the header of %s: %w", g.Name, err)
	}
	for _, f := range rendered {
		if path.Base(f.Path) == headerName {
			in.files[headerName] = f.Content
		}
	}
	if in.files[headerName] == nil {
		return nil, fmt.Errorf("interface generation %s has no header %s", g.Name, headerName)
	}
	err = fs.WalkDir(firmware.Sources, "src", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		in.files[path.Base(name)], err = firmware.Sources.ReadFile(name)
		return err
	})
	return in, err
}

func (in *Inputs) names() []string {
	names := make([]string, 0, len(in.files))
	for name := range in.files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Sum is the SHA-256 of all inputs and of how they are compiled.
func (in *Inputs) Sum() string {
	h := sha256.New()
	for _, name := range in.names() {
		fmt.Fprintf(h, "%s %d\n", name, len(in.files[name]))
		h.Write(in.files[name])
	}
	fmt.Fprintln(h, strings.Join(in.flags, " "))
	return hex.EncodeToString(h.Sum(nil))
}

// Build compiles and links an image.
func (in *Inputs) Build(ctx context.Context, c *Compiler) (*firmware.Image, error) {
	dir, err := os.MkdirTemp("", "cclforge-firmware-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	return in.build(ctx, c, dir)
}

// build builds the image in a directory, with more options.
func (in *Inputs) build(ctx context.Context, c *Compiler, dir string, more ...string) (*firmware.Image, error) {
	args := slices.Concat(in.flags, []string{"-I.", "-o", "firmware.elf", "-T", linkScript}, more)
	for _, name := range in.names() {
		if err := os.WriteFile(filepath.Join(dir, name), in.files[name], 0o644); err != nil {
			return nil, err
		}
		if ext := path.Ext(name); ext == ".c" || ext == ".S" {
			args = append(args, name)
		}
	}
	if err := c.run(ctx, dir, append(args, "-lgcc")); err != nil {
		return nil, err
	}
	image, err := readELF(filepath.Join(dir, "firmware.elf"))
	if err != nil {
		return nil, fmt.Errorf("read the linked control firmware: %w", err)
	}
	image.Sign()
	sum := sha256.Sum256(image.Code)
	image.Built = firmware.Built{
		Generation: in.generation, Compiler: c.Version, Inputs: in.Sum(), Code: hex.EncodeToString(sum[:]),
	}
	return image, nil
}

// readELF takes what is loaded, and the functions.
func readELF(name string) (*firmware.Image, error) {
	f, err := elf.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	image := &firmware.Image{}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_PROGBITS || s.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		data, err := s.Data()
		if err != nil {
			return nil, err
		}
		if end := int(s.Addr) + len(data); end > len(image.Code) {
			image.Code = append(image.Code, make([]byte, end-len(image.Code))...)
		}
		copy(image.Code[s.Addr:], data)
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	slices.SortStableFunc(symbols, func(a, b elf.Symbol) int { return int(int64(a.Value) - int64(b.Value)) })
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			fmt.Fprintf(&text, "%08x %s\n", s.Value, s.Name)
		}
	}
	image.Symbols = text.Bytes()
	return image, nil
}
