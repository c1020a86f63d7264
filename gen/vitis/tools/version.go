package tools

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cclforge/cclforge/gen/output"
	"github.com/cclforge/cclforge/gen/platform"
	"github.com/cclforge/cclforge/gen/vitis/step"
)

const (
	defaultLimit = time.Minute
	// maxOutput is how much of what a tool says about itself is read.
	maxOutput = 64 << 10
	// unknown is the version of a tool that does not say it; what identifies the
	// file is behind it, so that results of another file are not taken for its own.
	unknown = "unknown "
	// cacheSchema changes when the meaning of the cache's entries does.
	cacheSchema = 1
	maxCached   = 256
)

func known(version string) bool { return version != "" && !strings.HasPrefix(version, unknown) }

// cache remembers what tools have said, by what identifies their executables. It
// is a help, not a result: a file that cannot be read or written is as none.
type cache struct {
	file string
	mu   sync.Mutex
	said map[string]entry
	new  bool
}

type entry struct {
	Version string    `json:"version"`
	Used    time.Time `json:"used"`
}

type cacheFile struct {
	Schema int              `json:"schema"`
	Said   map[string]entry `json:"said"`
}

func openCache(file string) *cache {
	c := &cache{file: file, said: map[string]entry{}}
	if file != "" {
		c.said = readCache(file)
	}
	return c
}

func readCache(file string) map[string]entry {
	var content cacheFile
	text, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(text, &content) != nil || content.Schema != cacheSchema || content.Said == nil {
		return map[string]entry{}
	}
	return content.Said
}

// save writes what is new, with what others have written meanwhile.
func (c *cache) save() {
	if c.file == "" || !c.new {
		return
	}
	all := readCache(c.file)
	maps.Copy(all, c.said)
	keys := make([]string, 0, len(all))
	for k := range all {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(all[b].Used.Compare(all[a].Used), cmp.Compare(a, b)) })
	for _, k := range keys[min(len(keys), maxCached):] {
		delete(all, k)
	}
	text, err := json.Marshal(cacheFile{cacheSchema, all})
	if err != nil || os.MkdirAll(filepath.Dir(c.file), 0o777) != nil {
		return
	}
	_ = output.WriteFile(c.file, text, 0o600) // without it tools are asked again
}

// version is what a tool says, or has said.
func (c *cache) version(ctx context.Context, facts *platform.ToolFacts, path string, env Env) (string, error) {
	key, err := identity(facts, path)
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	e, have := c.said[key]
	c.mu.Unlock()
	if have {
		return e.Version, nil
	}
	version, err := ask(ctx, facts, path, cmp.Or(env.Limit, defaultLimit))
	if err != nil {
		return "", err
	}
	if version == "" {
		return unknown + output.Hash([]byte(key))[:12], nil // asked again the next time
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.said[key], c.new = entry{version, time.Now().UTC()}, true
	return version, nil
}

// identity changes when an executable does: its path, where links lead, size and
// time. Tools are scripts that run what is elsewhere in the installation, so that the
// time of their directory counts, too.
func identity(facts *platform.ToolFacts, path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", facts.Name, err)
	}
	parts := []string{path, real, strings.Join(facts.Arguments, " "), facts.Pattern.String()}
	for _, p := range []string{real, filepath.Dir(real)} {
		info, err := os.Stat(p)
		if err != nil {
			return "", fmt.Errorf("find %s: %w", facts.Name, err)
		}
		parts = append(parts, fmt.Sprint(info.Size(), info.ModTime().UnixNano()))
	}
	return strings.Join(parts, "\x00"), nil
}

// ask runs a tool for its version; "" if it does not say it.
func ask(ctx context.Context, facts *platform.ToolFacts, path string, limit time.Duration) (string, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(limited, path, facts.Arguments...)
	step.Group(cmd)
	cmd.WaitDelay = 2 * time.Second
	said := &bounded{}
	cmd.Stdout, cmd.Stderr = said, said
	cmd.Dir = os.TempDir() // some leave logs where they run
	err := cmd.Run()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if m := facts.Pattern.FindSubmatch(said.Bytes()); m != nil {
		return string(m[1]), nil
	}
	switch {
	case limited.Err() != nil:
		return "", fmt.Errorf("%s %w: %s has not said its version within %s", facts.Name, ErrBroken, path, limit)
	case err != nil:
		return "", fmt.Errorf("%s %w: %s: %v%s", facts.Name, ErrBroken,
			strings.Join(append([]string{path}, facts.Arguments...), " "), err, said.quoted())
	}
	return "", nil
}

// bounded keeps the beginning of what is written to it.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if room := maxOutput - b.Len(); room > 0 {
		b.Buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

// quoted is the last line that says something, for an error.
func (b *bounded) quoted() string {
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return ": " + last
	}
	return ""
}
