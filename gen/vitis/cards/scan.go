package cards

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cclforge/cclforge/driver/xrt/xclbin"
	"github.com/cclforge/cclforge/gen/vitis/store"
)

// Found is a card with the design that it holds.
type Found struct {
	Card
	// Design is what is loaded, if a file is known that has its UUID.
	Design *Design `json:"design"`
	// Engines and Networks are what inspectors have found, in the order of the design.
	Engines  []Engine  `json:"engines"`
	Networks []Network `json:"networks"`
	// Region is nil for cards that XRT shows.
	Region *Region `json:"region"`
	// Remarks say what an inspector could not find out.
	Remarks []string `json:"remarks"`
}

// Design is a file that a card can be loaded with.
type Design struct {
	File string `json:"file"`
	// Description is empty if the file is not one of ours.
	xclbin.Description
	Created time.Time `json:"created"`
	// Others are files with the same UUID that say something else of themselves: one of
	// them may be what is loaded.
	Others []string `json:"others,omitempty"`
}

// Inspector looks into a card that holds a design, and fills in Engines and Networks. Its
// error becomes a remark.
type Inspector interface {
	Inspect(ctx context.Context, c *Found) error
}

// Finder finds cards that XRT does not show.
type Finder interface {
	Find(ctx context.Context) ([]Found, error)
}

// Options are the places of designs, and what reads cards.
type Options struct {
	Files []string // .xclbin files, which must be there
	Out   string   // directory with results of builds; "" for none
	Cache string   // that of build results; "" for the default
	// Inspectors look into cards, one after the other.
	Inspectors []Inspector
	Finders    []Finder
}

// Scan lists the cards of this host: those of XRT, then those of finders. It returns what
// it has found also with an error. No cards is no error; without XRT the error matches
// ErrNoXRT.
func Scan(ctx context.Context, o Options) ([]Found, error) {
	out, err := o.ofXRT(ctx)
	errs := []error{err}
	for _, f := range o.Finders {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		more, err := f.Find(ctx)
		out, errs = append(out, more...), append(errs, err)
	}
	return out, errors.Join(errs...)
}

func (o *Options) ofXRT(ctx context.Context) ([]Found, error) {
	designs, err := o.designs()
	if err != nil {
		return nil, err
	}
	found, err := List(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Found, len(found))
	for i, c := range found {
		out[i] = Found{Card: c, Engines: []Engine{}, Networks: []Network{}, Remarks: []string{}}
		if c.Loaded == "" {
			continue
		}
		out[i].Design = choose(designs[strings.ToLower(c.Loaded)])
		for _, in := range o.Inspectors {
			if err := in.Inspect(ctx, &out[i]); err != nil {
				if ctx.Err() != nil {
					return nil, context.Cause(ctx)
				}
				out[i].Remarks = append(out[i].Remarks, err.Error())
			}
		}
	}
	return out, nil
}

// choose takes the first of files with one UUID, rather one of ours, which are in the
// order in which they count.
func choose(files []Design) *Design {
	if len(files) == 0 {
		return nil
	}
	at := max(slices.IndexFunc(files, func(d Design) bool { return d.Generator != "" }), 0)
	d := files[at]
	for _, other := range files {
		if other.Generator != "" && other.Description != d.Description {
			d.Others = append(d.Others, other.File)
		}
	}
	return &d
}

// designs are all files that are known, by UUID: those that are given, then results of
// builds, then what is in the cache, each the newest first.
func (o *Options) designs() (map[string][]Design, error) {
	out := map[string][]Design{}
	for _, file := range o.Files {
		if err := add(out, file); err != nil {
			return nil, err
		}
	}
	for _, files := range [][]string{o.built(), o.cached()} {
		byAge := map[string]time.Time{}
		for _, file := range files {
			if info, err := os.Stat(file); err == nil {
				byAge[file] = info.ModTime()
			}
		}
		slices.SortStableFunc(files, func(a, b string) int { return byAge[b].Compare(byAge[a]) })
		for _, file := range files {
			// What is not whole, or goes away meanwhile, is nobody's design.
			if err := add(out, file); err != nil && !errors.Is(err, xclbin.ErrFormat) && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
		}
	}
	return out, nil
}

func (o *Options) built() []string {
	if o.Out == "" {
		return nil
	}
	files, _ := filepath.Glob(filepath.Join(o.Out, "build", "*", "*.xclbin")) // the pattern is a good one
	return files
}

func (o *Options) cached() []string {
	dir := o.Cache
	if dir == "" {
		var err error
		if dir, err = store.DefaultDir(); err != nil {
			return nil
		}
	}
	if _, err := os.Stat(dir); err != nil {
		return nil // to open it would make it
	}
	s, err := store.Open(dir)
	if err != nil {
		return nil
	}
	entries, err := s.List()
	if err != nil {
		return nil
	}
	var files []string
	for _, e := range entries {
		if e.Err != nil {
			continue
		}
		for _, output := range e.Outputs {
			if filepath.Ext(output) == ".xclbin" {
				files = append(files, e.Path(output))
			}
		}
	}
	return files
}

func add(to map[string][]Design, path string) error {
	f, closer, err := xclbin.Open(path)
	if err != nil {
		return fmt.Errorf("read the design %s: %w", path, err)
	}
	defer closer()
	about, _, err := f.Describe()
	if err != nil {
		return fmt.Errorf("read the design %s: %w", path, err)
	}
	uuid := strings.ToLower(f.UUID)
	to[uuid] = append(to[uuid], Design{File: path, Description: about, Created: f.Created})
	return nil
}

// String is the platform of a design, or the name of its file.
func (d *Design) String() string {
	if d == nil {
		return "-"
	}
	return cmp.Or(d.Platform, filepath.Base(d.File))
}
