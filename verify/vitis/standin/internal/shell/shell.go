// Package shell knows the board platforms that the stand-ins link against: what an
// .xpfm says of them. The facts are those of the contract for boards and of UG1120
// (Alveo Data Center Accelerator Card Platforms), not of the library of boards.
package shell

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// All are the board platforms.
var All = []Shell{
	{Name: "xilinx_u50_gen3x16_xdma_5_202210_1", Part: "xcu50-fsvh2104-2-e", SLRs: 2, Memories: []Memory{{"HBM", 32, 256 << 10}, {"PLRAM", 4, 128}}},
	{Name: "xilinx_u55c_gen3x16_xdma_3_202210_1", Part: "xcu55c-fsvh2892-2L-e", SLRs: 3, Memories: []Memory{{"HBM", 32, 512 << 10}, {"PLRAM", 6, 128}, {"HOST", 1, 16 << 20}}},
	{Name: "xilinx_u200_gen3x16_xdma_2_202110_1", Part: "xcu200-fsgd2104-2-e", SLRs: 3, Memories: []Memory{{"DDR", 4, 16 << 20}, {"PLRAM", 3, 128}, {"HOST", 1, 16 << 20}}},
	{Name: "xilinx_u250_gen3x16_xdma_4_1_202210_1", Part: "xcu250-figd2104-2L-e", SLRs: 4, Memories: []Memory{{"DDR", 4, 16 << 20}, {"PLRAM", 4, 128}, {"HOST", 1, 16 << 20}}},
	{Name: "xilinx_u280_gen3x16_xdma_1_202211_1", Part: "xcu280-fsvh2892-2L-e", SLRs: 3, Memories: []Memory{{"HBM", 32, 256 << 10}, {"DDR", 2, 16 << 20}, {"PLRAM", 6, 128}}},
}

// Install writes the platforms as a repository below dir.
func Install(dir string) error {
	for _, s := range All {
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

// Open finds a platform as the tools do: a path of an .xpfm, or a name below one of
// the folders.
func Open(name string, folders []string) (*Shell, string, error) {
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
