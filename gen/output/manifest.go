package output

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Schema is the version of the manifest's form.
const Schema = 1

// Manifest says what a directory holds and what it was made from. It holds
// nothing that differs between machines.
type Manifest struct {
	Schema  int    `json:"schema"`
	Comment string `json:"comment"` // the Marker line
	// Platform is empty for the directory of an interface generation.
	Platform   string `json:"platform,omitempty"`
	Generation string `json:"generation"`
	// Variables are the values that the platform's variables took.
	Variables map[string]json.RawMessage `json:"variables,omitempty"`
	// Generator is a digest of the generator's sources, templates and
	// dependencies.
	Generator string `json:"generator"`
	// Library is a digest of all descriptions that were searched for Inputs.
	Library string `json:"library"`
	// Unfinished is set while files are written; the manifest then names the
	// files of before and after, some of them twice.
	Unfinished bool    `json:"unfinished,omitempty"`
	Inputs     []Input `json:"inputs"`
	Files      []Entry `json:"files"`
}

// Input is a description or template.
type Input struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Entry is a generated file.
type Entry struct {
	Path   string   `json:"path"`
	SHA256 string   `json:"sha256"`
	Inputs []string `json:"inputs"`
}

// Hash is the SHA-256 of a text in hexadecimal digits.
func Hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (m *Manifest) encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(m); err != nil {
		return nil, fmt.Errorf("encode the manifest: %w", err)
	}
	return b.Bytes(), nil
}

// paths lists the files of a manifest once each, sorted.
func (m *Manifest) paths() []string {
	names := map[string]bool{}
	for _, e := range m.Files {
		names[e.Path] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// names reports whether the manifest names a path.
func (m *Manifest) names(p string) bool {
	return slices.ContainsFunc(m.Files, func(e Entry) bool { return e.Path == p })
}

// wrote reports whether content is what a run that the manifest knows of wrote
// to a path, perhaps changed by hand since, but still marked as generated.
func (m *Manifest) wrote(p string, content []byte) bool {
	if !m.names(p) {
		return false
	}
	hash := Hash(content)
	return marked(content) || slices.ContainsFunc(m.Files, func(e Entry) bool { return e.Path == p && e.SHA256 == hash })
}

// union is what is on disk between the first and the last change.
func union(old, next *Manifest) *Manifest {
	u := *next
	u.Unfinished = true
	u.Files = slices.Clone(next.Files)
	for _, e := range old.Files {
		if !slices.ContainsFunc(u.Files, func(n Entry) bool { return n.Path == e.Path && n.SHA256 == e.SHA256 }) {
			e.Inputs = nil
			u.Files = append(u.Files, e)
		}
	}
	slices.SortStableFunc(u.Files, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return &u
}

// Read returns the directory's manifest. The error matches fs.ErrNotExist if
// there is none, and ErrNotOurs if the file of that name is something else.
func (d Dir) Read() (*Manifest, error) {
	t, err := d.open()
	if err != nil {
		return nil, err
	}
	defer t.close()
	m, _, err := t.readManifest()
	return m, err
}

func (t *tree) readManifest() (*Manifest, []byte, error) {
	text, err := t.read(t.dir.Manifest)
	if err != nil {
		return nil, nil, err
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil || !strings.HasPrefix(m.Comment, Marker) {
		return nil, text, fmt.Errorf("%s: %w; move it away or remove it", t.name(t.dir.Manifest), ErrNotOurs)
	}
	if m.Schema != Schema {
		return nil, text, fmt.Errorf("%s has schema %d, this program knows %d; remove %s and generate again",
			t.name(t.dir.Manifest), m.Schema, Schema, t.dir.Name())
	}
	for _, e := range m.Files {
		if err := checkPath(e.Path); err != nil {
			return nil, text, fmt.Errorf("%s: %w", t.name(t.dir.Manifest), err)
		}
	}
	return &m, text, nil
}

// Intact reports whether every file of a finished manifest is on disk as it
// was written, and nothing of an interrupted run is.
func (d Dir) Intact(m *Manifest) bool {
	if m.Unfinished {
		return false
	}
	t, err := d.open()
	if err != nil {
		return false
	}
	defer t.close()
	if _, err := t.lstat(temporary(d.Manifest)); !absent(err) {
		return false
	}
	for _, e := range m.Files {
		info, err := t.lstat(e.Path)
		if err != nil || !info.Mode().IsRegular() {
			return false
		}
		content, err := t.read(e.Path)
		if err != nil || Hash(content) != e.SHA256 {
			return false
		}
	}
	return true
}
