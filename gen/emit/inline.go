package emit

import (
	"bytes"
	"fmt"
	"regexp"

	"github.com/cclforge/cclforge/gen/design"
)

// Packages of RTL say which symbols of cclo_pkg they are made of, but carry
// their values: yosys resolves no name of one package in another one.
var packageSymbol = regexp.MustCompile(`cclo_pkg::(\w+)`)

// inlineSymbols writes the values of cclo_pkg's symbols in place of their names.
func inlineSymbols(d *design.Design, text []byte) ([]byte, error) {
	literals, err := symbolLiterals(d)
	if err != nil {
		return nil, err
	}
	text = packageSymbol.ReplaceAllFunc(text, func(name []byte) []byte {
		literal, ok := literals[string(bytes.TrimPrefix(name, []byte("cclo_pkg::")))]
		if !ok && err == nil {
			err = fmt.Errorf("%s is not in %s", name, packageFile)
		}
		return []byte(literal)
	})
	return text, err
}

// symbolLiterals are the values of the symbols of cclo_pkg.
func symbolLiterals(d *design.Design) (map[string]string, error) {
	groups, err := settingsAndPorts(d)
	if err != nil {
		return nil, err
	}
	names := newIdentifiers(systemVerilog, nil)
	literals := map[string]string{}
	for _, part := range [][]group{vocabulary(d.ABI()), groups} {
		words, err := systemVerilog.wordings(part, names)
		if err != nil {
			return nil, err
		}
		for _, w := range words {
			for _, e := range w.Entries {
				literals[e.Name] = e.Literal
			}
		}
	}
	return literals, nil
}
