package accl

import "fmt"

// DType names an element type of a platform.
type DType string

// Element types with a Go type. A platform need not have all of them.
const (
	TypeFloat16  DType = "float16"
	TypeBFloat16 DType = "bfloat16"
	TypeFloat32  DType = "float32"
	TypeFloat64  DType = "float64"
	TypeInt32    DType = "int32"
	TypeInt64    DType = "int64"
)

// Element is the set of Go types that represent element types.
type Element interface {
	float32 | float64 | int32 | int64 | Float16 | BFloat16
}

// TypeOf returns the element type of a Go type.
func TypeOf[T Element]() DType {
	var v T
	switch any(v).(type) {
	case float32:
		return TypeFloat32
	case float64:
		return TypeFloat64
	case int32:
		return TypeInt32
	case int64:
		return TypeInt64
	case Float16:
		return TypeFloat16
	case BFloat16:
		return TypeBFloat16
	}
	panic(fmt.Sprintf("accl: %T is no element", v)) // the constraint excludes it
}

// Func names a reduction of a platform, such as Sum.
type Func string
