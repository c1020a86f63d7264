package layout

import (
	"fmt"
	"slices"
)

// Driver describes the Linux driver of a shell, and the place of the design in it. Calls
// and registers consist of words of 64 bits.
type Driver struct {
	Shell      string // "coyote"
	Revision   string // of the shell
	File       string // path pattern of a region of a card, both as %d
	Words      int    // largest number of words that a call writes
	PageBytes  uint32 // unit of windows
	HugePage   uint32 // size of a huge page in bytes
	Threads    int    // largest number of threads of a region
	ThreadBits int    // bits of the thread in the number of a queue pair
	Calls      []Record
	Windows    []Window
	Registers  []Record
	// Spacing is the number of bytes in the application's window for each byte of registers.
	Spacing   uint32
	Instances []Reach
}

// Record is a call or a register of the shell's driver: words with fields.
type Record struct {
	Name   string
	Number uint32 // of a call (ioctl)
	Window string // of a register
	At     uint32 // offset in the window, in bytes
	Fields []Field
}

// Field is a range of bits in a word.
type Field struct {
	Name           string
	Word, At, Bits int
}

// Window is a window of registers that programs map.
type Window struct {
	Name  string
	Page  uint32 // number of its first page
	Bytes uint32
}

// Reach is the place of an instance's registers in the application's window.
type Reach struct {
	Instance string
	At       uint32 // offset in the window, in bytes
	Bytes    uint32 // size of the registers
}

// Call finds a call by its name.
func (d *Driver) Call(name string) (Record, error) { return find(d, "call", d.Calls, name) }

// Register finds a register by its name.
func (d *Driver) Register(name string) (Record, error) { return find(d, "register", d.Registers, name) }

func find(d *Driver, what string, all []Record, name string) (Record, error) {
	r, ok := first(all, func(r Record) bool { return r.Name == name })
	if !ok {
		return r, fmt.Errorf("the driver of the shell %s has no %s %s", d.Shell, what, name)
	}
	return r, nil
}

// Window finds a window by its name.
func (d *Driver) Window(name string) (Window, error) {
	w, ok := first(d.Windows, func(w Window) bool { return w.Name == name })
	if !ok {
		return w, fmt.Errorf("the driver of the shell %s has no window %s", d.Shell, name)
	}
	return w, nil
}

// Reach finds the registers of an instance.
func (d *Driver) Reach(instance string) (Reach, bool) {
	return first(d.Instances, func(r Reach) bool { return r.Instance == instance })
}

// Length is the number of words.
func (r Record) Length() int {
	n := 0
	for _, f := range r.Fields {
		n = max(n, f.Word+1)
	}
	return n
}

// Values are values of fields, by name.
type Values map[string]uint64

// Put writes fields into words. The error names an unknown field, or a value that has
// more bits than its field.
func (r Record) Put(words []uint64, values Values) error {
	for name := range values {
		if !slices.ContainsFunc(r.Fields, func(f Field) bool { return f.Name == name }) {
			return fmt.Errorf("%s has no field %s", r.Name, name)
		}
	}
	for _, f := range r.Fields {
		v, given := values[f.Name]
		if !given {
			continue
		}
		if v&^f.mask() != 0 {
			return fmt.Errorf("the field %s of %s has %d bits, and 0x%X does not fit", f.Name, r.Name, f.Bits, v)
		}
		words[f.Word] |= v << f.At
	}
	return nil
}

// Get reads all fields from words.
func (r Record) Get(words []uint64) Values {
	out := Values{}
	for _, f := range r.Fields {
		out[f.Name] = words[f.Word] >> f.At & f.mask()
	}
	return out
}

func (f Field) mask() uint64 { return 1<<f.Bits - 1 } // of 64 bits, 1<<64 is 0
