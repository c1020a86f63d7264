// Package develop holds the mage targets of those who work on cclforge itself.
package develop

import (
	"context"

	"github.com/cclforge/cclforge/gen/targets/internal/check"
	"github.com/cclforge/cclforge/gen/targets/internal/command"
	"github.com/cclforge/cclforge/verify/bench"
)

// Test checks the whole repository: format, vet, staticcheck and all tests.
func Test(ctx context.Context) error { return check.Run(ctx) }

// Bench measures how long generating takes, and writes out/bench/generate.json.
func Bench(ctx context.Context) error { return bench.Run(ctx) }

// Firmware builds the control firmware of every interface generation into
// firmware/images.
func Firmware(ctx context.Context) error { return command.Firmware(ctx) }
