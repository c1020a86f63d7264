package cards

import (
	"cmp"
	"fmt"
	"slices"
)

// Hottest is the highest temperature, with its sensor: "37 °C (fpga0)"; "-" for none.
func (c Card) Hottest() string {
	if len(c.Temperatures) == 0 {
		return "-"
	}
	t := slices.MaxFunc(c.Temperatures, func(a, b Temperature) int { return cmp.Compare(a.Celsius, b.Celsius) })
	return fmt.Sprintf("%g °C (%s)", t.Celsius, t.Sensor)
}

// Watts is the card's power, with its limit: "24.9 of 225 W"; "-" if unknown.
func (c Card) Watts() string {
	switch {
	case c.Power == 0:
		return "-"
	case c.PowerLimit == 0:
		return fmt.Sprintf("%.1f W", c.Power)
	}
	return fmt.Sprintf("%.1f of %g W", c.Power, c.PowerLimit)
}

// String is "gen3 x16", with what the card could do if that is more.
func (l *Link) String() string {
	if l == nil {
		return "-"
	}
	s := fmt.Sprintf("gen%d x%d", l.Generation, l.Lanes)
	if l.Generation < l.ExpectedGeneration || l.Lanes < l.ExpectedLanes {
		s += fmt.Sprintf(" (of gen%d x%d)", l.ExpectedGeneration, l.ExpectedLanes)
	}
	return s
}
