package verbs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/gen/vitis/store"
)

// onStore opens the results that are kept, for what a verb does with them.
func onStore(do func(context.Context, *options, *console, *store.Store) error) action {
	return func(ctx context.Context, o *options, c *console) error {
		s, err := store.Open(o.cache)
		if err != nil {
			return err
		}
		return do(ctx, o, c, s)
	}
}

func listCache(_ context.Context, o *options, c *console, s *store.Store) error {
	entries, err := s.List()
	if err != nil {
		return err
	}
	if o.json {
		e := json.NewEncoder(c.out)
		for _, r := range entries {
			if err := e.Encode(cacheLine{r.Key, r.ID, r.Bytes, r.Seconds, r.When, r.User, r.Host,
				errorText(r.Err)}); err != nil {
				return err
			}
		}
		return nil
	}
	t := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "STEP\tKEY\tSIZE\tTOOK\tMADE\tBY")
	var total int64
	for _, r := range entries {
		total += r.Bytes
		if r.Err != nil {
			fmt.Fprintf(t, "%s\t%.12s\t%s\t-\t-\t%v\n", cmp.Or(r.ID, "-"), r.Key, sizeText(r.Bytes), r.Err)
			continue
		}
		fmt.Fprintf(t, "%s\t%.12s\t%s\t%s\t%s\t%s@%s\n", r.ID, r.Key, sizeText(r.Bytes), r.Duration().Round(time.Second),
			r.When.Local().Format("2006-01-02 15:04"), r.User, r.Host)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "%s in %d results in %s\n", sizeText(total), len(entries), s.Dir())
	return nil
}

// cacheLine is a result, for scripts.
type cacheLine struct {
	Key     string    `json:"key"`
	Step    string    `json:"step"`
	Bytes   int64     `json:"bytes"`
	Seconds float64   `json:"seconds"`
	When    time.Time `json:"when"`
	User    string    `json:"user,omitempty"`
	Host    string    `json:"host,omitempty"`
	Damage  string    `json:"damage,omitempty"`
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func verifyCache(ctx context.Context, _ *options, c *console, s *store.Store) error {
	damaged, err := s.Verify(ctx, nil)
	if err != nil {
		return err
	}
	for _, d := range damaged {
		fmt.Fprintf(c.out, "%s %.12s: %v\n", cmp.Or(d.ID, "-"), d.Key, d.Err)
	}
	if len(damaged) > 0 {
		return errors.New("builds make anew what is damaged")
	}
	fmt.Fprintf(c.out, "every result in %s is whole\n", s.Dir())
	return nil
}

func pruneCache(ctx context.Context, o *options, c *console, s *store.Store) error {
	if o.olderThan == 0 && o.largerThan == 0 {
		return command.Misuse("cache prune: say which, with --older=720h or --larger=200GiB")
	}
	pruned, err := s.Prune(ctx, store.PruneOptions{OlderThan: o.olderThan, MaxSize: int64(o.largerThan)})
	if pruned == nil {
		return err
	}
	for _, r := range pruned.Removed {
		fmt.Fprintf(c.out, "removed %s %.12s\n", cmp.Or(r.ID, "-"), r.Key)
	}
	fmt.Fprintf(c.out, "%s freed, %s left", sizeText(pruned.Freed), sizeText(pruned.Left))
	if pruned.InUse > 0 {
		fmt.Fprintf(c.out, "; %d results stay, because a build uses them", pruned.InUse)
	}
	fmt.Fprintln(c.out)
	return err
}
