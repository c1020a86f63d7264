// Package cache holds the targets below cache: import it with
// "mage:import cache" beside package targets.
package cache

import (
	"context"

	"github.com/cclforge/cclforge/gen/targets/internal/command"
)

// Verify hashes every result that is kept, and names those that are damaged.
func Verify(ctx context.Context,
	cache *string, // directory ($CCLFORGE_CACHE, or yours)
) error {
	return command.Run(ctx, "cache verify", command.Flag("cache", cache))
}

// Prune removes results that nobody has used for long.
func Prune(ctx context.Context,
	older *string, // those that were not used for this time: 720h
	larger *string, // those longest unused, until the rest has this size: 200GiB
	cache *string, // directory ($CCLFORGE_CACHE, or yours)
) error {
	return command.Run(ctx, "cache prune", command.Flag("older", older), command.Flag("larger", larger),
		command.Flag("cache", cache))
}
