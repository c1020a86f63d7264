package emit

import (
	"bytes"
	"fmt"
	"regexp"
)

// Packages of RTL say which symbols of cclo_pkg they are made of, but carry
// their values: yosys resolves no name of one package in another one.
var packageSymbol = regexp.MustCompile(`cclo_pkg::(\w+)`)

// inlineSymbols writes the values of cclo_pkg's symbols in place of their names.
func inlineSymbols(symbols map[string]string, text []byte) ([]byte, error) {
	var err error
	text = packageSymbol.ReplaceAllFunc(text, func(name []byte) []byte {
		literal, ok := symbols[string(bytes.TrimPrefix(name, []byte("cclo_pkg::")))]
		if !ok && err == nil {
			err = fmt.Errorf("%s is not in %s", name, packageFile)
		}
		return []byte(literal)
	})
	return text, err
}
