package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cclforge/cclforge/gen/output"
	"github.com/cclforge/cclforge/gen/vitis/step"
)

const (
	recordFile = "step.json"
	schema     = 1
	// largest is how large a step.json may be.
	largest = 64 << 20
)

// Record describes a result.
type Record struct {
	Schema      int               `json:"schema"`
	Key         string            `json:"key"`
	ID          string            `json:"id"` // of the step that made it
	Title       string            `json:"title"`
	Kind        step.Kind         `json:"kind"`
	Ingredients []step.Ingredient `json:"ingredients"`
	Tools       []Tool            `json:"tools,omitempty"`
	Outputs     []string          `json:"outputs"`
	Files       []File            `json:"files"`   // below out/, sorted
	Seconds     float64           `json:"seconds"` // that it took; 0: not known
	When        time.Time         `json:"when"`    // it was published, by the clock of Host
	Host        string            `json:"host"`
	User        string            `json:"user,omitempty"`
	Work        string            `json:"work,omitempty"` // name of the work directory that it comes from
}

// Tool is a tool with its version.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// File is a file, a directory or a symbolic link of a result.
type File struct {
	Path   string `json:"path"` // with slashes
	SHA256 string `json:"sha256,omitempty"`
	Size   int64  `json:"size,omitempty"`  // bytes
	MTime  int64  `json:"mtime,omitempty"` // nanoseconds since 1970, as the file system has it
	Dir    bool   `json:"dir,omitempty"`
	Link   string `json:"link,omitempty"` // where a symbolic link leads, inside the same output
}

// Duration is the run time of the step; 0 if unknown.
func (r *Record) Duration() time.Duration {
	return time.Duration(r.Seconds * float64(time.Second))
}

// sealed is how a record is written: the sum finds damage of the record itself.
type sealed struct {
	SHA256 string          `json:"sha256"` // of Result, byte for byte
	Result json.RawMessage `json:"result"`
}

func (r *Record) encode() ([]byte, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "{\"sha256\": %q,\n \"result\": %s}\n", output.Hash(body), body), nil
}

// readRecord reads the record of a key; "" stands for any.
func readRecord(name, key string) (*Record, error) {
	text, err := readSmall(name)
	if err != nil {
		return nil, err
	}
	return decode(text, name, key)
}

// readSmall reads a file that should not be large.
func readSmall(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, largest))
}

func decode(text []byte, name, key string) (*Record, error) {
	damaged := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s %s", ErrDamaged, filepath.Base(name), fmt.Sprintf(format, args...))
	}
	var s sealed
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, damaged("is not whole: %v", err)
	}
	if output.Hash(s.Result) != s.SHA256 {
		return nil, damaged("was changed")
	}
	r := &Record{}
	if err := json.Unmarshal(s.Result, r); err != nil {
		return nil, damaged("cannot be read: %v", err)
	}
	if r.Schema != schema {
		return nil, damaged("has schema %d, and this program knows %d", r.Schema, schema)
	}
	if key != "" && r.Key != key {
		return nil, damaged("is that of %.64q", r.Key)
	}
	for _, file := range r.Files {
		if !local(file.Path) {
			return nil, damaged("names %q, which leads out of the result", file.Path)
		}
	}
	return r, nil
}

// local reports whether a path with slashes stays inside its directory.
func local(p string) bool {
	return p != "." && fs.ValidPath(p) && filepath.IsLocal(filepath.FromSlash(p)) && !strings.ContainsRune(p, 0)
}

// absent reports whether an error says that there is nothing.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) }
