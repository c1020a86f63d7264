// Package platforms holds the shipped platforms, and the boards, kernels and
// interface generations that platforms share.
package platforms

import "embed"

// FS holds the shipped descriptions.
//
//go:embed *.hcl abi boards kernels
var FS embed.FS
