package rtlsim

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/world"
	"github.com/cclforge/cclforge/verify/world/engine"
)

// Cards are those of a world: ranks take the engines of a card in their order
// before they go on to the next card.
type Cards struct {
	// Options are those of a card.
	Options func(card int) Options

	mu   sync.Mutex
	open map[int]*Card
}

// Reach is how many engines reach each other where they do so on their card
// alone; 0 where the network leads off the card.
func Reach(d *design.Design) int {
	if joined(d) {
		return d.Platform.CCLO.Count
	}
	return 0
}

// Maker makes the engine of a rank, and its card with the first one of that.
func (c *Cards) Maker(rank int) world.Maker {
	return func(ctx context.Context, d *design.Design, port fabric.Port) (engine.Engine, error) {
		return c.make(ctx, d, rank, port)
	}
}

func (c *Cards) make(ctx context.Context, d *design.Design, rank int, port fabric.Port) (engine.Engine, error) {
	engines := d.Platform.CCLO.Count
	if n := Reach(d); n > 0 && rank >= n {
		return nil, fmt.Errorf("%w: rank %d, the %d engines of %s reach each other alone", ErrEngine,
			rank, n, d.Platform.Name)
	}
	card, err := c.card(ctx, d, rank/engines)
	if err != nil {
		return nil, err
	}
	e, err := card.Engine(rank%engines, port)
	if err != nil {
		return nil, errors.Join(err, card.abandon()) // not an engine that is a nil pointer
	}
	return e, nil
}

func (c *Cards) card(ctx context.Context, d *design.Design, number int) (*Card, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if card := c.open[number]; card != nil && card.Err() == nil {
		return card, nil
	}
	card, err := OpenCard(ctx, d, c.Options(number))
	if err != nil {
		return nil, err
	}
	if c.open == nil {
		c.open = map[int]*Card{}
	}
	c.open[number] = card
	return card, nil
}
