package rtlsim

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// shape is how recordings hold calls of a function of the C API: what it is given,
// and, to check a replay, the numbers that it answers.
type shape struct {
	name   string // in C
	kind   reflect.Type
	buffer int // the parameter that leads to as many elements as the next one says; 0 for none
	unit   int // bytes of an element
	given  bool
}

// shapes are those of the fields of functions; nil for what changes no model.
var shapes = func() []*shape {
	t := reflect.TypeFor[functions]()
	list := make([]*shape, t.NumField())
	for i := range list {
		f := t.Field(i)
		tag, ok := f.Tag.Lookup("record")
		if !ok {
			continue
		}
		s := &shape{name: f.Tag.Get("c"), kind: f.Type}
		if tag != "" {
			way := ""
			if _, err := fmt.Sscan(tag, &way, &s.unit); err != nil {
				panic(fmt.Sprintf("%s: %v", f.Name, err))
			}
			s.given = way == "given"
			for p := 1; p < f.Type.NumIn()-1 && s.buffer == 0; p++ {
				if f.Type.In(p).Kind() == reflect.Pointer && f.Type.In(p+1).Kind() == reflect.Uint64 {
					s.buffer = p
				}
			}
		}
		list[i] = s
	}
	return list
}()

// shapeNames are the names of the functions, empty for those that change no model.
func shapeNames() []string {
	names := make([]string, len(shapes))
	for i, s := range shapes {
		if s != nil {
			names[i] = s.name
		}
	}
	return names
}

// idle reports whether a call has changed nothing: it had nothing to take, found no
// room, or ran no cycles.
func (s *shape) idle(args, results []reflect.Value) bool {
	if s.name == runName {
		return args[1].Uint() == 0
	}
	if len(results) == 0 {
		return false
	}
	switch r := results[0]; r.Kind() {
	case reflect.Int64: // a size
		return r.Int() < 0
	case reflect.Int32:
		return r.Int() == 0
	default:
		return r.Uint() == 0
	}
}

const runName = "sim_run"

// answers are the numbers that a call has answered.
func (s *shape) answers(args, results []reflect.Value) []uint64 {
	var list []uint64
	for i := 1; i < len(args); i++ {
		if i != s.buffer && args[i].Kind() == reflect.Pointer && args[i].Elem().CanUint() {
			list = append(list, args[i].Elem().Uint())
		}
	}
	for _, r := range results {
		list = append(list, number(r))
	}
	return list
}

func number(v reflect.Value) uint64 {
	if v.CanInt() {
		return uint64(v.Int())
	}
	return v.Uint()
}

// append adds a call to what is recorded.
func (s *shape) append(b []byte, args, results []reflect.Value) []byte {
	for i := 1; i < len(args); i++ {
		switch v := args[i]; {
		case i == s.buffer:
			n := int(args[i+1].Uint()) * s.unit
			b = binary.AppendUvarint(b, uint64(n))
			if s.given && n > 0 {
				b = append(b, unsafe.Slice((*byte)(v.UnsafePointer()), n)...)
			}
		case v.CanInt():
			b = binary.AppendVarint(b, v.Int())
		case v.CanUint():
			b = binary.AppendUvarint(b, v.Uint())
		}
	}
	for _, v := range s.answers(args, results) {
		b = binary.AppendUvarint(b, v)
	}
	return b
}

// mostGiven bounds what a call is given, in bytes.
const mostGiven = 1 << 31

// read reads a call: its arguments after the model, and what it answered.
func (s *shape) read(r *bufio.Reader) (args []reflect.Value, want []uint64, err error) {
	var held uint64
	for i := 1; i < s.kind.NumIn(); i++ {
		in := s.kind.In(i)
		v := reflect.New(in).Elem()
		switch {
		case i == s.buffer:
			n, err := binary.ReadUvarint(r)
			if err != nil || n > mostGiven {
				return nil, nil, fmt.Errorf("%d bytes: %w", n, unexpected(err))
			}
			held = n
			bytes := make([]byte, (n+7)/8*8+8) // aligned
			if s.given {
				if _, err := io.ReadFull(r, bytes[:n]); err != nil {
					return nil, nil, unexpected(err)
				}
			}
			v = reflect.NewAt(in.Elem(), unsafe.Pointer(&bytes[0]))
		case in.Kind() == reflect.Pointer:
			v = reflect.New(in.Elem())
		case v.CanInt():
			x, err := binary.ReadVarint(r)
			if err != nil {
				return nil, nil, unexpected(err)
			}
			v.SetInt(x)
		default:
			x, err := binary.ReadUvarint(r)
			if err != nil {
				return nil, nil, unexpected(err)
			}
			v.SetUint(x)
		}
		args = append(args, v)
	}
	if s.buffer > 0 && args[s.buffer].Uint()*uint64(s.unit) != held {
		return nil, nil, fmt.Errorf("%d elements in %d bytes", args[s.buffer].Uint(), held)
	}
	results := make([]reflect.Value, s.kind.NumOut())
	for i := range results {
		results[i] = reflect.New(s.kind.Out(i)).Elem()
	}
	for range s.answers(slices.Insert(slices.Clone(args), 0, reflect.Value{}), results) {
		x, err := binary.ReadUvarint(r)
		if err != nil {
			return nil, nil, unexpected(err)
		}
		want = append(want, x)
	}
	return args, want, nil
}

// unexpected is the error of a recording that ends within a call.
func unexpected(err error) error {
	if err == nil || err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// told is how errors call what a function answers.
func told(name string, answers []uint64) string {
	return strings.TrimPrefix(name, "sim_") + fmt.Sprintf(" answers %#x", answers)
}
