package designjson

import (
	"reflect"
	"strings"
	"sync"
)

// Key documents one key of the format.
type Key struct {
	Path string // "instances[].ports[].name"
	Type string // "string", "number or null", "list of objects", ...
	Doc  string
}

// Keys lists all keys in the order of the file.
var Keys = sync.OnceValue(func() []Key {
	var keys []Key
	collect(&keys, "", reflect.TypeFor[File]())
	return keys
})

func collect(keys *[]Key, prefix string, t reflect.Type) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		key := Key{Path: prefix + name, Type: typeName(field.Type), Doc: field.Tag.Get("doc")}
		*keys = append(*keys, key)
		inner := field.Type
		if inner.Kind() == reflect.Slice {
			inner, key.Path = inner.Elem(), key.Path+"[]"
		}
		if inner.Kind() == reflect.Struct {
			collect(keys, key.Path+".", inner)
		}
	}
}

func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem()) + " or null"
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "list of " + typeName(t.Elem()) + "s"
	case reflect.Struct, reflect.Map:
		return "object"
	default:
		return "number"
	}
}
