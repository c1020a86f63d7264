package standin

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cclforge/cclforge/gen/platform"
)

// Shell is a board platform.
type Shell struct {
	XMLName  xml.Name `xml:"platform"`
	Name     string   `xml:"name,attr"`
	Part     string   `xml:"part,attr"`
	SLRs     int      `xml:"slrs,attr"`
	Memories []Memory `xml:"memory"`
}

// Memory is a memory with its banks; those with one bank are also known without an
// index.
type Memory struct {
	Name  string `xml:"name,attr"`
	Banks int    `xml:"banks,attr"`
	KiB   uint64 `xml:"kib,attr"` // of each bank
}

// ShellOf is the platform of a board.
func ShellOf(b *platform.Board) Shell {
	s := Shell{Name: b.Shell, Part: b.Part, SLRs: b.SLRs}
	for _, m := range b.Memories {
		s.Memories = append(s.Memories, Memory{m.Name, m.Banks, uint64(m.BankMiB) << 10})
	}
	return s
}

// InstallShells writes the platforms of boards as a repository below dir.
func InstallShells(dir string, boards map[string]*platform.Board) error {
	for _, b := range boards {
		s := ShellOf(b)
		hw := filepath.Join(dir, s.Name, "hw")
		if err := os.MkdirAll(hw, 0o777); err != nil {
			return err
		}
		text, err := xml.MarshalIndent(s, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, s.Name, s.Name+".xpfm"), append(text, '\n'), 0o666); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(hw, "hw.xsa"), []byte("stand-in for "+s.Name+"\n"), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// OpenShell finds a platform as the tools do: a path of an .xpfm, or a name below one of
// the folders.
func OpenShell(name string, folders []string) (*Shell, string, error) {
	path := name
	if !strings.HasSuffix(name, ".xpfm") {
		path = ""
		for _, dir := range folders {
			p := filepath.Join(dir, name, name+".xpfm")
			if _, err := os.Stat(p); err == nil {
				path = p
				break
			}
		}
		if path == "" {
			return nil, "", fmt.Errorf("%s: %w", name, os.ErrNotExist)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, "", err
	}
	var s Shell
	if err := xml.Unmarshal(text, &s); err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	return &s, path, nil
}

// Bank reports whether a platform has banks first to last of a memory.
func (s *Shell) Bank(memory string, first, last int) bool {
	return slices.ContainsFunc(s.Memories, func(m Memory) bool {
		return m.Name == memory && 0 <= first && first <= last && last < m.Banks
	})
}
