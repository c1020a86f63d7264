package pins

// Words is where a pin's value stands: what goes in before a Step, what came out
// after it. The lowest word comes first.
func (b *Bench) Words(name string) []uint32 { return b.pin(name).words }
