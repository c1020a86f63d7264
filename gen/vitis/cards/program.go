package cards

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cclforge/cclforge/driver/xrt/xclbin"
)

// Request is what a card shall be loaded with.
type Request struct {
	File   string // .xclbin
	Device string // as for Select
	// Force loads a card that is in use, or has another shell.
	Force bool
	// Say, if not nil, is told what is being done.
	Say func(line string)
}

// Program loads a card and looks whether it then has what it should have. It
// returns the card as it is afterwards.
func Program(ctx context.Context, r Request) (Card, error) { return host().program(ctx, r) }

func (h *system) program(ctx context.Context, r Request) (Card, error) {
	if r.Say == nil {
		r.Say = func(string) {}
	}
	if words := coyoteFile(r.File); words != "" {
		return Card{}, fmt.Errorf("%s: %w: %s", r.File, ErrFile, words)
	}
	f, closer, err := xclbin.Open(r.File)
	if err != nil {
		return Card{}, err
	}
	defer closer()
	if f.Mode.Emulation() {
		return Card{}, fmt.Errorf("%s: %w: it is for emulation; link it for hw", r.File, ErrFile)
	}
	cards, err := h.list(ctx)
	if err != nil {
		return Card{}, err
	}
	card, err := Select(cards, r.Device)
	if err != nil {
		return Card{}, err
	}
	if err := suits(card, f, r); err != nil {
		return card, err
	}
	r.Say(fmt.Sprintf("loading %s with %s", card.BDF, f.UUID))
	file, err := filepath.Abs(r.File)
	if err != nil {
		return card, fmt.Errorf("%s: %w", r.File, err)
	}
	if err := h.load(ctx, card.BDF, file); err != nil {
		return card, fmt.Errorf("load %s: %w", card.BDF, err)
	}
	if cards, err = h.list(ctx); err != nil {
		return card, fmt.Errorf("look what %s has now: %w", card.BDF, err)
	}
	if card, err = Select(cards, card.BDF); err != nil {
		return card, fmt.Errorf("after loading: %w", err)
	}
	if !strings.EqualFold(card.Loaded, f.UUID) {
		have := "nothing, as far as XRT tells"
		if card.Loaded != "" {
			have = card.Loaded
		}
		return card, fmt.Errorf("%s: %w: it should have %s, and has %s", card.BDF, ErrNotLoaded, f.UUID, have)
	}
	return card, nil
}

// suits tells whether a card may be loaded with a file.
func suits(c Card, f *xclbin.File, r Request) error {
	if !c.Ready {
		return fmt.Errorf(
			"%s: %w: XRT shows it with reduced functions; program its shell (xbmgmt program --base), and restart the host",
			c.BDF, ErrNotReady)
	}
	if r.Force {
		return nil
	}
	if !fits(c, f) {
		return fmt.Errorf("%s: %w: %s is for %s, and the card has %s; -force loads it all the same",
			c.BDF, ErrShell, r.File, f.Platform, c.Shell)
	}
	var why []string
	for _, p := range c.Users {
		why = append(why, fmt.Sprintf("process %d (%s) has it open", p.ID, p.Name))
	}
	if len(c.Running) > 0 {
		why = append(why, strings.Join(c.Running, ", ")+" at work")
	}
	if len(why) > 0 {
		return fmt.Errorf("%s: %w: %s; -force loads it all the same", c.BDF, ErrBusy, strings.Join(why, "; "))
	}
	return nil
}

// fits compares a card's shell with the platform of a file, by name or by the
// interface's UUID. What is not known is not held against the file.
func fits(c Card, f *xclbin.File) bool {
	for _, id := range c.Interface {
		if strings.EqualFold(plain(id), plain(f.Interface)) {
			return true
		}
	}
	return f.Platform == "" || c.Shell == "" || plain(c.Shell) == plain(f.Platform)
}

// plain writes the names of platforms alike, which tools write with underscores,
// or with colons and points.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case ':', '.', '-':
			return '_'
		}
		return r
	}, strings.ToLower(name))
}

// coyoteFile says how to load a bitstream of the Coyote shell; nothing if the file is
// none.
func coyoteFile(file string) string {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".bit", ".bin", ".pdi", ".ltx":
	default:
		return ""
	}
	return "it is a bitstream of a Coyote shell. Load cyt_top.bit over JTAG (Vivado's hardware manager), or " +
		"shell_top.bin from a " +
		"Coyote shell that runs already; then let the host find the card again (remove the PCI device in /sys, and write " +
		"1 to " +
		"/sys/bus/pci/rescan), and insert Coyote's driver: insmod coyote_driver.ko ip_addr=<hexadecimal> " +
		"mac_addr=<hexadecimal>"
}
