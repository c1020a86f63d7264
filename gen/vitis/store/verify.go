package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// Problem is a damaged result.
type Problem struct {
	Key string
	ID  string // empty if its record is damaged
	Dir string
	Err error // says which file, and what is wrong with it
}

// Verify reads all results and compares each file with its hash. each, if not nil,
// is called before a result is read, with how many there are.
func (s *Store) Verify(ctx context.Context, each func(n, of int, r *Record)) ([]Problem, error) {
	keys, err := s.keys("steps")
	if err != nil {
		return nil, fmt.Errorf("verify the cache: %w", err)
	}
	var problems []Problem
	for n, key := range keys {
		if err := ctx.Err(); err != nil {
			return problems, fmt.Errorf("verify the cache: %w", err)
		}
		dir := s.ResultDir(key)
		r, err := readRecord(filepath.Join(dir, recordFile), key)
		if err == nil {
			if each != nil {
				each(n, len(keys), r)
			}
			err = s.verify(ctx, &Result{Record: *r, Dir: dir})
		}
		if err == nil || ctx.Err() != nil {
			continue
		}
		if _, statErr := os.Lstat(dir); absent(statErr) {
			continue // it was removed meanwhile
		}
		p := Problem{Key: key, Dir: dir, Err: err}
		if r != nil {
			p.ID = r.ID
		}
		problems = append(problems, p)
	}
	return problems, nil
}

func (s *Store) verify(ctx context.Context, r *Result) error {
	for _, f := range r.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.check(r.Path(f.Path), f, true, step.Sum); err != nil {
			return err
		}
	}
	return nil
}
