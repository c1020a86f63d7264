package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// PruneOptions are the limits of what stays.
type PruneOptions struct {
	OlderThan time.Duration // removes what was not used for so long; 0: age is no reason
	MaxSize   int64         // bytes; removes what was not used for longest until no more is left; 0: size is no reason
}

// Pruned is what Prune has removed.
type Pruned struct {
	Removed []Entry
	Works   []string // work directories that no build uses
	Freed   int64    // bytes
	Left    int64    // bytes of results
	InUse   int      // results that only stayed because a build uses them
}

// workAge is how long work directories stay that nobody works in: a job of a
// cluster may wait in one.
const workAge = 14 * day

const day = 24 * time.Hour

// Prune removes results unused for long, abandoned work directories, and damaged results.
// It removes nothing that a running build uses.
func (s *Store) Prune(ctx context.Context, o PruneOptions) (*Pruned, error) {
	p, gone, err := s.prune(ctx, o)
	for _, dir := range gone {
		err = errors.Join(err, removeAll(dir))
	}
	if err != nil {
		return p, fmt.Errorf("prune the cache: %w", err)
	}
	return p, nil
}

func (s *Store) prune(ctx context.Context, o PruneOptions) (p *Pruned, gone []string, err error) {
	unlock, err := s.wait(ctx, s.path("locks", "leases"), nil)
	if err != nil {
		return nil, nil, err
	}
	defer unlock()
	p = &Pruned{}
	leased, err := s.leased()
	if err != nil {
		return p, nil, err
	}
	now, err := s.now()
	if err != nil {
		return p, nil, err
	}
	list, err := s.List()
	if err != nil {
		return p, nil, err
	}
	for _, e := range list {
		p.Left += e.Bytes
	}
	for i := len(list) - 1; i >= 0; i-- { // used longest ago first
		e := list[i]
		age := now.Sub(time.Unix(0, e.Used))
		old := o.OlderThan > 0 && age > o.OlderThan
		if !old && e.Err == nil && (o.MaxSize <= 0 || p.Left <= o.MaxSize) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return p, gone, err
		}
		if leased[e.Key] {
			p.InUse++
			continue
		}
		dir, taken, err := s.take(e.Key, e.Dir)
		if err != nil {
			return p, gone, err
		}
		if !taken {
			p.InUse++
			continue
		}
		if dir != "" {
			gone = append(gone, dir)
		}
		p.Removed = append(p.Removed, e)
		p.Freed += e.Bytes
		p.Left -= e.Bytes
	}
	works, err := s.pruneWork(leased, now, o)
	p.Works = works
	for _, dir := range works {
		p.Freed += size(dir)
		moved, trashErr := s.trash(dir)
		if trashErr == nil {
			gone = append(gone, moved)
			os.Remove(filepath.Dir(dir)) // if it is empty
		}
		err = errors.Join(err, trashErr)
	}
	return p, append(gone, s.leftovers(now)...), err
}

// take moves the directory of a key away unless somebody has the key's lock.
func (s *Store) take(key, dir string) (moved string, taken bool, err error) {
	unlock, err := s.TryLock(key)
	if err != nil || unlock == nil {
		return "", false, err
	}
	defer unlock()
	moved, err = s.trash(dir)
	if absent(err) {
		return "", true, nil
	}
	if err == nil {
		os.Remove(s.path("locks", key)) // whoever waits for it makes a new one
	}
	return moved, err == nil, err
}

// pruneWork lists work directories in which nobody has worked for long.
func (s *Store) pruneWork(leased map[string]bool, now time.Time, o PruneOptions) ([]string, error) {
	keys, err := s.keys("work")
	if err != nil {
		return nil, err
	}
	limit := workAge
	if o.OlderThan > 0 {
		limit = min(limit, o.OlderThan)
	}
	var old []string
	for _, key := range keys {
		unlock, err := s.TryLock(key)
		if err != nil {
			return old, err
		}
		if unlock == nil {
			continue
		}
		for _, dir := range s.Works(key) {
			if !leased[key] && now.Sub(latest(dir)) > limit {
				old = append(old, dir)
			}
		}
		unlock()
	}
	return old, nil
}

// latest is the newest time of a directory and what is directly in it.
func latest(dir string) time.Time {
	var t time.Time
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, name := range append(names, dir) {
		if info, err := os.Lstat(name); err == nil && info.ModTime().After(t) {
			t = info.ModTime()
		}
	}
	return t
}

// leftovers are what processes that were killed have left on the way in and out,
// and hashes that nobody may need any more.
func (s *Store) leftovers(now time.Time) []string {
	var old []string
	for pattern, age := range map[string]time.Duration{
		"new/*": day, "trash/*": day, ".probe-*": day, "last/.new-*": day, "hashes/*/.new-*": day,
		"hashes/*/*": 60 * day, // what is still in use is hashed once more
	} {
		names, _ := filepath.Glob(filepath.Join(s.dir, filepath.FromSlash(pattern)))
		for _, name := range names {
			if info, err := os.Lstat(name); err == nil && now.Sub(info.ModTime()) > age {
				old = append(old, name)
			}
		}
	}
	return old
}
