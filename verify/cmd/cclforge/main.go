// Command cclforge generates, checks, serves, measures and builds platforms: a verb for each of
// these. Run it with --help.
package main

import "github.com/cclforge/cclforge/verify/cmd/cclforge/internal/verbs"

func main() { verbs.Main() }
