package groups

import (
	"context"

	"github.com/magefile/mage/mg"

	"github.com/cclforge/cclforge/gen/targets/internal/command"
)

// Cache are the targets below cache.
type Cache mg.Namespace

// Verify hashes every result that is kept, and names those that are damaged.
func (Cache) Verify(ctx context.Context,
	cache *string, // directory ($CCLFORGE_CACHE, or yours)
) error {
	return command.Run(ctx, "cache verify", nil, "cache", cache)
}

// Prune removes results that nobody has used for long.
func (Cache) Prune(ctx context.Context,
	older *string, // those that were not used for this time: 720h
	larger *string, // those longest unused, until the rest has this size: 200GiB
	cache *string, // directory ($CCLFORGE_CACHE, or yours)
) error {
	return command.Run(ctx, "cache prune", nil, "older", older, "larger", larger, "cache", cache)
}
