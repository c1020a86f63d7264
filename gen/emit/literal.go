package emit

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// goLiteral writes a value of structs, slices, texts and numbers as Go source.
// Fields that are zero are left out, but for numbers in lists, where zero is a
// code like any other; gofmt does the rest.
func goLiteral(v any) string {
	var b strings.Builder
	writeLiteral(&b, reflect.ValueOf(v), true)
	return b.String()
}

// writeLiteral writes a value, with its type unless what is around says it.
func writeLiteral(b *strings.Builder, v reflect.Value, typed bool) {
	switch v.Kind() {
	case reflect.Struct:
		writeStruct(b, v, typed)
	case reflect.Slice:
		writeSlice(b, v)
	case reflect.String:
		b.WriteString(quoted(v.String()))
	case reflect.Bool:
		b.WriteString(strconv.FormatBool(v.Bool()))
	case reflect.Int:
		b.WriteString(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint32, reflect.Uint64:
		b.WriteString(hexOrDecimal(v.Uint(), literalForm(v.Uint())))
	default:
		panic(fmt.Sprintf("no literal of %s", v.Type()))
	}
}

// literalForm is decimal for what is small enough to be a count or a code.
func literalForm(v uint64) form {
	if v < 1<<8 {
		return decimal
	}
	return address
}

func writeStruct(b *strings.Builder, v reflect.Value, typed bool) {
	if typed {
		b.WriteString(v.Type().String())
	}
	// What holds structs or lists of them is written a field a line.
	separator, end := ", ", ""
	for i := range v.NumField() {
		if field := v.Field(i); !field.IsZero() && nests(field) {
			separator, end = ",\n", ",\n"
		}
	}
	b.WriteString("{")
	if end != "" {
		b.WriteString("\n")
	}
	written := 0
	for i := range v.NumField() {
		if v.Field(i).IsZero() && (typed || !v.Field(i).CanInt() && !v.Field(i).CanUint()) {
			continue
		}
		if written > 0 {
			b.WriteString(separator)
		}
		b.WriteString(v.Type().Field(i).Name + ": ")
		writeLiteral(b, v.Field(i), true)
		written++
	}
	if written > 0 {
		b.WriteString(end)
	}
	b.WriteString("}")
}

func nests(v reflect.Value) bool {
	return v.Kind() == reflect.Struct || v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct
}

func writeSlice(b *strings.Builder, v reflect.Value) {
	b.WriteString(v.Type().String() + "{")
	lines := v.Type().Elem().Kind() == reflect.Struct
	for i := range v.Len() {
		switch {
		case lines:
			b.WriteString("\n")
		case i > 0:
			b.WriteString(", ")
		}
		writeLiteral(b, v.Index(i), false)
		if lines {
			b.WriteString(",")
		}
	}
	if lines && v.Len() > 0 {
		b.WriteString("\n")
	}
	b.WriteString("}")
}
