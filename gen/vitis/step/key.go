package step

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"unsafe"

	"github.com/cclforge/cclforge/gen/output"
)

// schema is part of all keys: a change of it makes all earlier results strangers.
const schema = 1

// Ingredient is an input of a result: a file, a tool, a fact.
type Ingredient struct {
	Name string `json:"name"` // for people: "vitis/link.cfg", "v++", "ccl_offload.xo of package ccl_offload"
	Hash string `json:"hash"`
}

// Keys are the keys of a plan's steps by ID, with what they are made of.
type Keys map[string]Key

// Key is the name of a result.
type Key struct {
	Hash        string // hexadecimal
	Ingredients []Ingredient
}

// Hasher hashes files on disk; a store may remember them.
type Hasher func(path string) (string, error)

// Keys computes the keys of a plan's steps. A step's key is made of its inputs and of the
// keys of the steps it needs, so that all are known before any step runs.
func (p *Plan) Keys(hash Hasher) (Keys, error) {
	keys := Keys{}
	h := hashes{disk: hash, known: map[content]string{}}
	titles := map[string]string{}
	for _, s := range p.Steps {
		titles[s.ID] = s.Title
		ingredients, err := s.ingredients(keys, titles, h)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.ID, err)
		}
		text, err := json.Marshal(ingredients)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.ID, err)
		}
		keys[s.ID] = Key{Hash: output.Hash(text), Ingredients: ingredients}
	}
	return keys, nil
}

func (s *Step) ingredients(keys Keys, titles map[string]string, h hashes) ([]Ingredient, error) {
	list := []Ingredient{{"step", of(schema, s.Kind, s.Outputs, s.Reports)}, {"commands", of(s.Commands)}}
	for _, t := range s.Tools {
		list = append(list, Ingredient{t.Name, t.Version})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Facts)) {
		list = append(list, Ingredient{name, s.Facts[name]})
	}
	for _, f := range s.Files {
		if f.Unkeyed {
			continue
		}
		sum, err := h.of(f)
		if err != nil {
			return nil, err
		}
		list = append(list, Ingredient{f.Path, sum})
	}
	for _, n := range s.Needs {
		key, ok := keys[n.Step]
		if !ok {
			return nil, fmt.Errorf("it needs %s, which does not stand before it", n.Step)
		}
		list = append(list, Ingredient{n.Output + " of " + titles[n.Step], of(key.Hash, n.Path)})
	}
	return list, nil
}

// hashes are those of files. What several steps share is hashed once.
type hashes struct {
	disk  Hasher
	known map[content]string
}

// content tells a text by where it is in memory.
type content struct {
	at *byte
	n  int
}

func (h hashes) of(f File) (string, error) {
	if f.Disk != "" {
		return h.disk(f.Disk)
	}
	text := content{unsafe.SliceData(f.Content), len(f.Content)}
	sum, ok := h.known[text]
	if !ok {
		sum = output.Hash(anonymous(f.Content))
		h.known[text] = sum
	}
	return sum, nil
}

func of(values ...any) string {
	text, err := json.Marshal(values)
	if err != nil {
		panic(err) // strings and numbers
	}
	return output.Hash(text)
}

// anonymous is a text without the line that says which platform it was generated
// for: what two platforms have in common is built once.
func anonymous(text []byte) []byte {
	at := bytes.Index(text, []byte(output.Marker))
	if at < 0 {
		return text
	}
	begin := bytes.LastIndexByte(text[:at], '\n') + 1
	end := bytes.IndexByte(text[at:], '\n')
	if end < 0 {
		return text[:begin]
	}
	return slices.Concat(text[:begin], text[at+end+1:])
}

// Sum hashes a file.
func Sum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Why describes the differences between the ingredients of an existing result and those
// of the wanted one: "link.cfg has changed".
func Why(old, wanted []Ingredient) []string {
	was := map[string]string{}
	for _, i := range old {
		was[i.Name] = i.Hash
	}
	var why []string
	for _, i := range wanted {
		switch hash, ok := was[i.Name]; {
		case !ok:
			why = append(why, i.Name+" is new")
		case hash != i.Hash && len(i.Hash) < 64 && len(hash) < 64:
			why = append(why, fmt.Sprintf("%s was %s and is %s", i.Name, hash, i.Hash))
		case hash != i.Hash:
			why = append(why, i.Name+" has changed")
		}
		delete(was, i.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		why = append(why, strings.TrimSpace(name)+" is gone")
	}
	return why
}
