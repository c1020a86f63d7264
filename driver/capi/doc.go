// Package capi is the C interface to the engines, apart from C: what libcclforge does in Go.
//
// The library has two parts. libcclforge.so is C alone: the functions of Functions, which load
// libcclforge-engines.so when a world is opened and pass it their arguments through Enter. Before that, a
// process has no thread of Go and can fork. The engines are a main package, built with -buildmode=c-shared
// and the tag cclforge_library, that calls Register with the worlds that it knows:
//
//	func init() { capi.Register(target.Library) }
//	func main() {}
//
// Header and C source are made from the tables of this package, Functions and those of the interface
// generations. Without the tag the package needs no cgo.
package capi
