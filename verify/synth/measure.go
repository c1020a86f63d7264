package synth

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/cclforge/cclforge/verify/internal/tools"
	"github.com/cclforge/cclforge/verify/rtlsim/verilate"
)

// Result is what became of a module.
type Result struct {
	Use
	// The longest paths: between registers, from ports to registers, from
	// registers to ports, and from ports to ports. Without levels and ends if there
	// is none.
	Inside, In, Out, Across Path
	// Parts are instances of modules that were left out, by name.
	Parts map[string]int `json:",omitempty"`
}

// Versions are parts of keys: other programs make other netlists, and other results of them.
const (
	version       = "3"
	resultVersion = "2"
)

const mapping = `synth_xilinx -family xcup -top %s -flatten -noiopad -noclkbuf
json -o netlist.json
`

// Measure says what became of a module that is mapped to a device, or finds it in the cache.
func Measure(ctx context.Context, module string, sources Sources, out []string) (*Result, error) {
	entry, err := cached(ctx, "synth", "result.json", module, sources, resultVersion, Rules, string(delaysText), out)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	return r, entry.load(ctx, r, func() (any, error) {
		n, err := mapped(ctx, module, sources)
		if err != nil {
			return nil, err
		}
		r, err := n.result(out)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", module, err)
		}
		return r, nil
	})
}

// mapped maps a module to a device, or finds its netlist in the cache. Modules of which only
// the ports are in the sources stay instances.
func mapped(ctx context.Context, module string, sources Sources) (*netlist, error) {
	entry, err := cached(ctx, "netlists", "netlist.json.gz", module, sources)
	if err != nil {
		return nil, err
	}
	n := &netlist{}
	return n, entry.load(ctx, n, func() (any, error) { return mapModule(ctx, module, sources) })
}

// entry is a value in the cache, as JSON, compressed if its file's name says so.
type entry tools.Entry

// cached is the entry of what is made of a module by yosys, and of what else it depends on.
func cached(ctx context.Context, kind, file, module string, sources Sources, more ...any) (entry, error) {
	if err := Available(); err != nil {
		return entry{}, err
	}
	tool, err := tools.Find(ctx, "yosys")
	if err != nil {
		return entry{}, err
	}
	dir, err := tools.Dir(kind)
	if err != nil {
		return entry{}, err
	}
	hash := sha256.New()
	fmt.Fprintln(hash, version, tool.Version, checks, mapping, sources.Key(module), more)
	return entry{Dir: dir, Key: hex.EncodeToString(hash.Sum(nil)), File: file, What: module}, nil
}

// load reads the value into to; build makes it if it is not there.
func (e entry) load(ctx context.Context, to any, build func() (any, error)) error {
	packed := strings.HasSuffix(e.File, ".gz")
	file, err := tools.Entry(e).Get(ctx, func(dir string) error {
		value, err := build()
		if err != nil {
			return err
		}
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		if packed {
			var small bytes.Buffer
			w := gzip.NewWriter(&small)
			_, err = w.Write(text)
			if err := errors.Join(err, w.Close()); err != nil {
				return err
			}
			text = small.Bytes()
		}
		return os.WriteFile(filepath.Join(dir, e.File), text, 0o666)
	})
	if err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	var from io.Reader = f
	if packed {
		if from, err = gzip.NewReader(f); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	if err := json.NewDecoder(from).Decode(to); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// mapModule maps a module.
func mapModule(ctx context.Context, module string, sources Sources) (*netlist, error) {
	files, err := verilate.Place(sources)
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "synth")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	var script strings.Builder
	root := ""
	for _, f := range files {
		fmt.Fprintf(&script, "read_verilog -sv -defer %s\n", f)
		for name := range sources {
			if dir, ok := strings.CutSuffix(f, "/"+name); ok && (root == "" || len(dir) < len(root)) {
				root = dir + "/"
			}
		}
	}
	fmt.Fprintf(&script, "hierarchy -check -top %s\n%s", module, checks)
	fmt.Fprintf(&script, mapping, module)
	if err := yosys(ctx, work, script.String()); err != nil {
		return nil, fmt.Errorf("synthesize %s: %w", module, err)
	}
	text, err := os.ReadFile(filepath.Join(work, "netlist.json"))
	if err != nil {
		return nil, err
	}
	n, err := readNetlist(text, module)
	if err != nil {
		return nil, err
	}
	n.short(root, sources)
	return n, nil
}

// result counts and follows what a netlist has.
func (n *netlist) result(out []string) (*Result, error) {
	r := &Result{}
	for _, c := range n.Cells {
		for _, name := range out {
			if c.module() == name {
				if r.Parts == nil {
					r.Parts = map[string]int{}
				}
				r.Parts[name]++
			}
		}
		r.count(c)
	}
	t, err := newTiming(n)
	if err != nil {
		return nil, err
	}
	r.Inside, r.In, r.Out, r.Across = t.longest(false, false), t.longest(true, false), t.longest(false,
		true), t.longest(true, true)
	return r, nil
}

// yosys runs a script; what went wrong is told by its own words.
func yosys(ctx context.Context, dir, script string) error {
	for name, text := range map[string]string{"script.ys": script, firmware: ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	tool, err := tools.Find(ctx, "yosys")
	if err != nil {
		return err
	}
	said, err := tool.Run(ctx, dir, "-q", "-T", "-l", "yosys.log", "script.ys")
	if err == nil {
		return nil
	}
	var lines [][]byte
	for line := range bytes.Lines(said) { // of memories that were resized nobody wants to know
		if !bytes.HasPrefix(line, []byte("Warning: Resizing")) {
			lines = append(lines, line)
		}
	}
	return fmt.Errorf("%w\n%s", err, bytes.TrimSpace(bytes.Join(lines, nil)))
}
