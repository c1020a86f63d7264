package layout

import (
	"fmt"
	"slices"
)

// Driver is what the Linux driver of a shell shows programs, and where the design lies
// in it. Calls and registers are words of 64 bits.
type Driver struct {
	Shell      string // "coyote"
	Revision   string // of the shell
	File       string // of a region of a card, both as %d
	Words      int    // that a call may write
	PageBytes  uint32 // in which windows are counted
	HugePage   uint32 // bytes
	Threads    int    // that a region can have
	ThreadBits int    // of the number of a queue pair
	Calls      []Record
	Windows    []Window
	Registers  []Record
	// Spacing is how many bytes of the application's window stand for a byte of the
	// registers of an instance.
	Spacing   uint32
	Instances []Reach
}

// Record is a call or a register: words with fields.
type Record struct {
	Name   string
	Number uint32 // of a call (ioctl)
	Window string // of a register
	At     uint32 // bytes, in the window
	Fields []Field
}

// Field is bits of a word.
type Field struct {
	Name           string
	Word, At, Bits int
}

// Window is registers that programs map.
type Window struct {
	Name  string
	Page  uint32 // number
	Bytes uint32
}

// Reach is where the registers of an instance are, in the application's window.
type Reach struct {
	Instance string
	At       uint32 // bytes of the window
	Bytes    uint32 // of the registers
}

// Call finds a call by its name.
func (d *Driver) Call(name string) (Record, error) { return find(d, "call", d.Calls, name) }

// Register finds a register by its name.
func (d *Driver) Register(name string) (Record, error) { return find(d, "register", d.Registers, name) }

func find(d *Driver, what string, all []Record, name string) (Record, error) {
	i := slices.IndexFunc(all, func(r Record) bool { return r.Name == name })
	if i < 0 {
		return Record{}, fmt.Errorf("the driver of the shell %s has no %s %s", d.Shell, what, name)
	}
	return all[i], nil
}

// Window finds a window by its name.
func (d *Driver) Window(name string) (Window, error) {
	i := slices.IndexFunc(d.Windows, func(w Window) bool { return w.Name == name })
	if i < 0 {
		return Window{}, fmt.Errorf("the driver of the shell %s has no window %s", d.Shell, name)
	}
	return d.Windows[i], nil
}

// Reach finds where the registers of an instance are.
func (d *Driver) Reach(instance string) (Reach, bool) {
	i := slices.IndexFunc(d.Instances, func(r Reach) bool { return r.Instance == instance })
	if i < 0 {
		return Reach{}, false
	}
	return d.Instances[i], true
}

// Length is how many words a record has.
func (r Record) Length() int {
	n := 0
	for _, f := range r.Fields {
		n = max(n, f.Word+1)
	}
	return n
}

// Values are those of fields, by their names.
type Values map[string]uint64

// Put writes fields into words. The error names a field that there is not, and a value
// that has more bits than its field.
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

// Get reads all fields of words.
func (r Record) Get(words []uint64) Values {
	out := Values{}
	for _, f := range r.Fields {
		out[f.Name] = words[f.Word] >> f.At & f.mask()
	}
	return out
}

func (f Field) mask() uint64 { return 1<<f.Bits - 1 } // of 64 bits, 1<<64 is 0
