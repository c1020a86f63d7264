package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/cclforge/cclforge/verify/vitis/standin"
)

// card is what xbutil remembers of one: numbers and booleans as strings, as boost
// writes them.
type card struct {
	BDF, VBNV, UUID string
}

func (c *call) cards() ([]card, error) {
	var cards []card
	for i, name := range c.Cards {
		cards = append(cards, card{BDF: fmt.Sprintf("0000:%02x:00.1", 0x81+i), VBNV: name})
		text, err := os.ReadFile(c.loaded(cards[i].BDF))
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		cards[i].UUID = string(text)
	}
	return cards, nil
}

func (c *call) loaded(bdf string) string { return filepath.Join(c.Root, "card-"+bdf) }

// xbutil is xbutil or xrt-smi (XRT documentation, "xbutil").
func xbutil(c *call) error {
	if slices.Contains(c.Args, "--version") || slices.Contains(c.Args, "-V") {
		c.say("                 XRT\n              Version : %s\n               Branch : %s", releaseOf(c.Version).xrt,
			c.Version)
		return nil
	}
	if len(c.Args) == 0 {
		return fmt.Errorf("no command")
	}
	given := map[string][]string{}
	name := ""
	for _, w := range c.Args[1:] {
		if len(w) > 2 && w[:2] == "--" || len(w) == 2 && w[0] == '-' {
			if name = map[string]string{"-d": "--device", "-u": "--user", "-r": "--report", "-f": "--format",
				"-o": "--output"}[w]; name == "" {
				name = w
			}
			given[name] = append(given[name], []string{}...)
			if !slices.Contains([]string{"--device", "--user", "--report", "--format", "--output", "--force", "--verbose",
				"--batch"}, name) {
				return fmt.Errorf("unrecognised option '%s'", w)
			}
			continue
		}
		given[name] = append(given[name], w)
	}
	cards, err := c.cards()
	if err != nil {
		return err
	}
	chosen := -1
	if bdf := given["--device"]; len(bdf) == 1 {
		if chosen = slices.IndexFunc(cards, func(d card) bool { return d.BDF == bdf[0] }); chosen < 0 {
			return c.refuse("Specified device BDF '%s' not found", bdf[0])
		}
	}
	switch c.Args[0] {
	case "examine":
		return c.examine(cards, chosen, given)
	case "program":
		if chosen < 0 || len(given["--user"]) != 1 {
			return fmt.Errorf("program: --device and --user are needed")
		}
		f, err := standin.ReadXclbin(given["--user"][0])
		if err != nil {
			return err
		}
		if err := put(c.loaded(cards[chosen].BDF), []byte(uuid(f.UUID))); err != nil {
			return err
		}
		c.say("INFO: xbutil program succeeded on %s.", cards[chosen].BDF)
		return nil
	}
	return fmt.Errorf("unknown command '%s'", c.Args[0])
}

func uuid(digits string) string {
	b, err := hex.DecodeString(digits)
	if err != nil || len(b) != 16 {
		return digits
	}
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func (c *call) examine(cards []card, chosen int, given map[string][]string) error {
	if f := given["--format"]; len(f) != 1 || f[0] != "JSON" || len(given["--output"]) != 1 {
		return fmt.Errorf("the stand-in only writes --format JSON --output <file>")
	}
	var devices []map[string]any
	for i, d := range cards {
		device := map[string]any{"bdf": d.BDF, "vbnv": d.VBNV, "id": "0x5e278820", "is_ready": "true"}
		if chosen >= 0 {
			if i != chosen {
				continue
			}
			device = map[string]any{"interface_type": "pcie", "device_id": d.BDF,
				"platforms":       []any{map[string]any{"static_region": map[string]any{"vbnv": d.VBNV}}},
				"dynamic_regions": []any{map[string]any{"xclbin_uuid": d.UUID}}}
		}
		devices = append(devices, device)
	}
	root := map[string]any{"schema_version": map[string]any{"schema": "JSON", "creation_date": stamp}}
	if chosen >= 0 {
		root["devices"] = devices
	} else {
		var list any = devices
		if len(devices) == 0 {
			list = ""
		}
		root["system"] = map[string]any{"host": map[string]any{"devices": list,
			"xrt": map[string]any{"version": releaseOf(c.Version).xrt}}}
	}
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		return err
	}
	c.write(given["--output"][0], text)
	return nil
}
