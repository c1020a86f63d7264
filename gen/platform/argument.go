package platform

import (
	"regexp"
	"strings"
)

// ArgumentType is what a kernel's argument is in C++.
type ArgumentType struct {
	Name    string // "float", of a pointer that of its elements
	Pointer bool
	Bits    int // of the register
}

// The types of C that arguments of kernels have, with their exact names in C++.
var argumentTypes = map[string]ArgumentType{
	"char": {"char", false, 32}, "uchar": {"unsigned char", false, 32},
	"short": {"short", false, 32}, "ushort": {"unsigned short", false, 32},
	"int": {"int", false, 32}, "uint": {"unsigned int", false, 32},
	"long": {"int64_t", false, 64}, "ulong": {"uint64_t", false, 64},
	"float": {"float", false, 32}, "double": {"double", false, 64},
	"int8_t": {"int8_t", false, 32}, "uint8_t": {"uint8_t", false, 32},
	"int16_t": {"int16_t", false, 32}, "uint16_t": {"uint16_t", false, 32},
	"int32_t": {"int32_t", false, 32}, "uint32_t": {"uint32_t", false, 32},
	"int64_t": {"int64_t", false, 64}, "uint64_t": {"uint64_t", false, 64},
}

// pointedType is what only pointers point to.
var pointedType = regexp.MustCompile(`^(void|ap_u?int<[1-9][0-9]{0,3}>|cclo::types::[a-z][a-z0-9_]*)$`)

// ArgumentTypeOf finds out what a type is, and whether it is known. Those of C++
// kernels have to be.
func ArgumentTypeOf(name string) (ArgumentType, bool) {
	element, pointer := strings.CutSuffix(name, "*")
	element = strings.TrimSpace(element)
	t, known := argumentTypes[element]
	if pointer && !known && pointedType.MatchString(element) {
		t, known = ArgumentType{Name: element}, true
	}
	if pointer {
		t.Pointer, t.Bits = true, 64
	}
	return t, known
}
