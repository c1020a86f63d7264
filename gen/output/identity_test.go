package output

import (
	"fmt"
	"io/fs"
	"reflect"
)

// identity is the inode of a file where the system has one.
func identity(info fs.FileInfo) string {
	v := reflect.Indirect(reflect.ValueOf(info.Sys()))
	if v.Kind() != reflect.Struct || !v.FieldByName("Ino").IsValid() {
		return ""
	}
	return fmt.Sprintf(" inode %v", v.FieldByName("Ino"))
}
