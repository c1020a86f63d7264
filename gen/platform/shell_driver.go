package platform

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2"

	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/gen/lang"
)

// ShellDriver is what the driver of a shell for Linux shows programs: a file for each
// region of a card, with calls (ioctl) and windows of registers (mmap). Of layout.Driver it
// has what does not depend on the revision and the options of the shell.
type ShellDriver struct {
	layout.Driver
	HugePageBits   int    // of an address inside a huge page
	HugePageOption string // option of the shell that changes them; "" for none
}

type driverBlock struct {
	File           string          `hcl:"file"`
	FileRange      hcl.Range       `hcl:"file,attr_value_range"`
	Group          string          `hcl:"group"`
	GroupRange     hcl.Range       `hcl:"group,attr_value_range"`
	Words          int             `hcl:"words"`
	Page           uint32          `hcl:"page"`
	HugePageBits   int             `hcl:"huge_page_bits"`
	HugePageOption string          `hcl:"huge_page_option,optional"`
	OptionRange    hcl.Range       `hcl:"huge_page_option,attr_value_range"`
	Threads        int             `hcl:"threads"`
	ThreadBits     int             `hcl:"thread_bits"`
	Calls          []callBlock     `hcl:"call,block"`
	Windows        []windowBlock   `hcl:"window,block"`
	Registers      []recordedBlock `hcl:"register,block"`
	Range          hcl.Range       `hcl:",def_range"`
}

type callBlock struct {
	Name           string       `hcl:"name,label"`
	Number         int          `hcl:"number"`
	NumberRange    hcl.Range    `hcl:"number,attr_value_range"`
	Direction      string       `hcl:"direction"`
	DirectionRange hcl.Range    `hcl:"direction,attr_value_range"`
	Fields         []fieldBlock `hcl:"field,block"`
	Range          hcl.Range    `hcl:",def_range"`
}

type windowBlock struct {
	Name  string    `hcl:"name,label"`
	Page  uint32    `hcl:"page"`
	Bytes uint32    `hcl:"bytes"`
	Range hcl.Range `hcl:",def_range"`
}

type recordedBlock struct {
	Name        string       `hcl:"name,label"`
	Window      string       `hcl:"window"`
	WindowRange hcl.Range    `hcl:"window,attr_value_range"`
	At          uint32       `hcl:"at"`
	AtRange     hcl.Range    `hcl:"at,attr_value_range"`
	Fields      []fieldBlock `hcl:"field,block"`
	Range       hcl.Range    `hcl:",def_range"`
}

type fieldBlock struct {
	Name  string    `hcl:"name,label"`
	Word  *int      `hcl:"word,optional"`
	At    *int      `hcl:"at,optional"`
	Bits  *int      `hcl:"bits,optional"`
	Range hcl.Range `hcl:",def_range"`
}

const (
	wordBits  = 64
	wordBytes = wordBits / 8
)

// driverFile is a path with two numbers in it.
var driverFile = regexp.MustCompile(`^/[^%]*%d[^%]*%d[^%]*$`)

// driver reads the driver of a shell, if it is described.
func (b shellBlock) driver(s *Shell) hcl.Diagnostics {
	if len(b.Drivers) == 0 {
		return nil
	}
	in := b.Drivers[0]
	if len(b.Drivers) > 1 {
		return hcl.Diagnostics{lang.Errorf(b.Drivers[1].Range, "One block expected",
			"A shell has one driver block; the first is on line %d.", in.Range.Start.Line)}
	}
	d := &ShellDriver{
		Driver: layout.Driver{File: in.File, Words: in.Words, PageBytes: in.Page, Threads: in.Threads,
			ThreadBits: in.ThreadBits},
		HugePageBits: in.HugePageBits, HugePageOption: in.HugePageOption,
	}
	s.Driver = d
	var diags hcl.Diagnostics
	bad := func(rng hcl.Range, format string, args ...any) {
		diags = append(diags, lang.Errorf(orElse(rng, in.Range), "Value out of range", format, args...))
	}
	var group byte
	if len(in.Group) != 1 {
		bad(in.GroupRange, "The group of calls is one character, not %q.", in.Group)
	} else {
		group = in.Group[0]
	}
	switch {
	case !driverFile.MatchString(in.File):
		bad(in.FileRange,
			"%q is no path with two numbers, of the card and of its region; write for example \"/dev/shell_%%d_v%%d\".", in.File)
	case in.Page == 0 || in.Page&(in.Page-1) != 0:
		bad(in.Range, "A page has a power of two of bytes, not %d.", in.Page)
	case in.HugePageBits >= 32 || in.HugePageBits < 0 || 1<<in.HugePageBits < in.Page:
		bad(in.Range, "A huge page has at least the %d bytes of a page, and less than 32 bits; %d bits are not.",
			in.Page, in.HugePageBits)
	case in.ThreadBits < 1 || in.ThreadBits > 16 || in.Threads < 1 || in.Threads > 1<<in.ThreadBits:
		bad(in.Range, "A region has 1 to %d threads, as many as %d bits can name; %d are not.",
			1<<min(max(in.ThreadBits, 0), 16), in.ThreadBits, in.Threads)
	case in.HugePageOption != "" && !slices.Contains(b.Known, in.HugePageOption):
		diags = append(diags, lang.Errorf(in.OptionRange, "Unknown option",
			"The shell %q has no option %q that a platform may set. %s", b.Name, in.HugePageOption, lang.Choices(
				in.HugePageOption, b.Known)))
	}
	return append(append(diags, d.readCalls(in.Calls, group)...), d.readRegisters(in)...)
}

// ioctl is the number of a call as Linux makes it (asm-generic/ioctl.h) of one whose
// argument is said to have 8 bytes.
func (b callBlock) ioctl(group byte) uint32 {
	direction := uint32(1) // the program writes
	if b.Direction == "out" {
		direction = 2
	}
	return direction<<30 | 8<<16 | uint32(group)<<8 | uint32(b.Number)
}

func (d *ShellDriver) readCalls(blocks []callBlock, group byte) hcl.Diagnostics {
	var diags hcl.Diagnostics
	names := blockNames{}
	for i, b := range blocks {
		c := layout.Record{Name: b.Name, Number: b.ioctl(group)}
		diags = append(diags, names.take(b.Range, "call", b.Name)...)
		diags = append(diags, oneOf(b.DirectionRange, "direction", b.Direction, []string{"in", "out"})...)
		if b.Number < 0 || b.Number > 255 {
			diags = append(diags, lang.Errorf(b.NumberRange, "Value out of range", "Calls have the numbers 0 to 255, not %d.",
				b.Number))
		}
		for _, other := range blocks[:i] {
			if other.Name != b.Name && other.Number == b.Number {
				diags = append(diags, lang.Errorf(b.NumberRange, "Duplicate number", "The calls %q and %q both have the number %d.",
					other.Name, b.Name, b.Number))
			}
		}
		var more hcl.Diagnostics
		c.Fields, more = readFields(b.Fields, d.Words, b.Range)
		diags, d.Calls = append(diags, more...), append(d.Calls, c)
	}
	return diags
}

func (d *ShellDriver) readWindows(in driverBlock) (map[string]windowBlock, hcl.Diagnostics) {
	var diags hcl.Diagnostics
	names, windows := blockNames{}, map[string]windowBlock{}
	for _, b := range in.Windows {
		diags = append(diags, names.take(b.Range, "window", b.Name)...)
		if in.Page > 0 && (b.Bytes == 0 || b.Bytes%in.Page != 0) {
			diags = append(diags, lang.Errorf(b.Range, "Value out of range",
				"The window %q has whole pages of %d bytes; %d bytes are not.", b.Name, in.Page, b.Bytes))
		}
		windows[b.Name] = b
		d.Windows = append(d.Windows, layout.Window{Name: b.Name, Page: b.Page, Bytes: b.Bytes})
	}
	return windows, diags
}

func (d *ShellDriver) readRegisters(in driverBlock) hcl.Diagnostics {
	windows, diags := d.readWindows(in)
	names, owner := blockNames{}, map[string]string{}
	for _, b := range in.Registers {
		r := layout.Record{Name: b.Name, Window: b.Window, At: b.At}
		diags = append(diags, names.take(b.Range, "register", b.Name)...)
		var more hcl.Diagnostics
		r.Fields, more = readFields(b.Fields, d.Words, b.Range)
		diags, d.Registers = append(diags, more...), append(d.Registers, r)
		w, known := windows[b.Window]
		end := uint64(b.At) + uint64(wordBytes*words(r.Fields))
		switch {
		case !known:
			diags = append(diags, lang.Errorf(b.WindowRange, "Unknown window", "The driver has no window %q. %s", b.Window,
				lang.Choices(b.Window, sortedKeys(windows))))
			continue
		case b.At%wordBytes != 0 || end > uint64(w.Bytes):
			diags = append(diags, lang.Errorf(b.AtRange, "Value out of range",
				"The register %q stands on a multiple of %d bytes within the %d of its window; 0x%X is none.", b.Name,
				wordBytes, w.Bytes, b.At))
			continue
		}
		for at := uint64(b.At); at < end; at += wordBytes {
			place := b.Window + "/" + strconv.FormatUint(at, 10)
			if other, taken := owner[place]; taken {
				diags = append(diags, lang.Errorf(b.Range, "Registers overlap",
					"The registers %q and %q both have the word at 0x%X.", other, b.Name, at))
				break
			}
			owner[place] = b.Name
		}
	}
	return diags
}

// words is how many words fields take.
func words(fields []layout.Field) int {
	n := 0
	for _, f := range fields {
		n = max(n, f.Word+1)
	}
	return n
}

func readFields(blocks []fieldBlock, most int, around hcl.Range) ([]layout.Field, hcl.Diagnostics) {
	var diags hcl.Diagnostics
	if len(blocks) == 0 {
		diags = append(diags, lang.Errorf(around, "Missing block", "At least one field is expected."))
	}
	var fields []layout.Field
	names := blockNames{}
	for _, b := range blocks {
		f := layout.Field{Name: b.Name, Word: value(b.Word, 0), At: value(b.At, 0), Bits: value(b.Bits, wordBits)}
		diags = append(diags, names.take(b.Range, "field", b.Name)...)
		switch {
		case f.Word < 0 || f.Word >= most:
			diags = append(diags, lang.Errorf(b.Range, "Value out of range",
				"The field %q is in one of the words 0 to %d, not in %d.", b.Name, most-1, f.Word))
		case f.At < 0 || f.Bits < 1 || f.At+f.Bits > wordBits:
			diags = append(diags, lang.Errorf(b.Range, "Value out of range",
				"The field %q is a part of a word of %d bits; %d bits from bit %d on are none.", b.Name, wordBits, f.Bits, f.At))
		}
		for _, other := range fields {
			if other.Name != f.Name && other.Word == f.Word && other.At < f.At+f.Bits && f.At < other.At+other.Bits {
				diags = append(diags, lang.Errorf(b.Range, "Fields overlap", "The fields %q and %q share bits of word %d.",
					other.Name, b.Name, f.Word))
			}
		}
		fields = append(fields, f)
	}
	return fields, diags
}
