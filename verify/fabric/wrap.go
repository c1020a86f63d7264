package fabric

// InnerPolled is Polled for a port around another one, if that is it.
type InnerPolled struct{ inner Polled }

// PolledOf is that of a port around p.
func PolledOf(p Port) InnerPolled {
	inner, _ := p.(Polled)
	return InnerPolled{inner}
}

// Near implements Polled.
func (p InnerPolled) Near() bool { return p.inner != nil && p.inner.Near() }

// Poll implements Polled.
func (p InnerPolled) Poll() bool { return p.inner != nil && p.inner.Poll() }

// Doze implements Polled. A port that is not polled notifies always.
func (p InnerPolled) Doze() bool { return p.inner == nil || p.inner.Doze() }

// InnerSegmented is Segmented for a port around another one, if that is it.
type InnerSegmented struct{ inner Segmented }

// SegmentedOf is that of a port around p.
func SegmentedOf(p Port) InnerSegmented {
	inner, _ := p.(Segmented)
	return InnerSegmented{inner}
}

// TakeSegments implements Segmented.
func (s InnerSegmented) TakeSegments() {
	if s.inner != nil {
		s.inner.TakeSegments()
	}
}

// Segments implements Segmented.
func (s InnerSegmented) Segments(session uint32) bool {
	return s.inner != nil && s.inner.Segments(session)
}
