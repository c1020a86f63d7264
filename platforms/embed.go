// Package platforms holds the shipped platforms, and the boards, kernels and
// interface generations that platforms share, and what is known of the vendor's tools.
package platforms

import "embed"

// FS holds the shipped descriptions.
//
//go:embed *.hcl abi boards kernels tools
var FS embed.FS
