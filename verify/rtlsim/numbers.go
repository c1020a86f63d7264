package rtlsim

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/emu"
)

// wordBytes is what registers are made of.
const wordBytes = 4

// controlPort is the number of the control port of an engine.
func controlPort(d *design.Design, engine int) (int32, error) {
	for _, i := range d.Instances {
		if i.Role == engineRole && i.Scope == engine {
			return controlPortOf(d, i)
		}
	}
	return 0, fmt.Errorf("%w: %s has no engine %d", emu.ErrMissing, d.Platform.Name, engine)
}

// controlPortOf is the number of the control port of an instance: control ports are
// numbered in the order in which the design has them.
func controlPortOf(d *design.Design, of *design.Instance) (int32, error) {
	n := int32(0)
	for _, i := range d.Instances {
		for _, p := range i.Ports {
			if p.Protocol != design.AXILite {
				continue
			}
			if i == of {
				return n, nil
			}
			n++
		}
	}
	return 0, fmt.Errorf("%w: %s has no control port of %s", emu.ErrMissing, d.Platform.Name, of.Name)
}

// engineRole is what a design calls its engines.
const engineRole = "engine"

// exchangeWords are the first word of the exchange memory, and the end, behind words of it that lie outside, too.
func exchangeWords(g *abi.Generation) (first, end uint32, err error) {
	m := g.Memory(abi.Exchange)
	if m == nil {
		return 0, 0, fmt.Errorf("%w: %s has no exchange memory", emu.ErrMissing, g.Name)
	}
	end = m.Base + m.Size
	for _, w := range m.Words {
		end = max(end, w.At+uint32(w.Count*w.Width/8))
	}
	return m.Base, end, nil
}

func constant(g *abi.Generation, name string) (int, error) {
	c := g.Constant(name)
	if c == nil {
		return 0, fmt.Errorf("%w: %s has no constant %s", emu.ErrMissing, g.Name, name)
	}
	return int(c.Value), nil
}

func beatBytes(g *abi.Generation) (int, error) { return constant(g, abi.BeatBytes) }

// writeImage writes an image as the simulated memory reads it: little-endian words
// in hexadecimal.
func writeImage(image []byte) (name string, err error) {
	var text bytes.Buffer
	for len(image) > 0 {
		var word [wordBytes]byte
		image = image[copy(word[:], image):]
		fmt.Fprintf(&text, "%02x%02x%02x%02x\n", word[3], word[2], word[1], word[0])
	}
	return writeTemporary("cclforge-firmware-*.hex", text.Bytes())
}

// writeTemporary writes a file with a name like a pattern's, which the caller removes.
func writeTemporary(pattern string, content []byte) (name string, err error) {
	f, err := os.CreateTemp("", pattern)
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}
