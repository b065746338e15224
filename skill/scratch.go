// SPDX-License-Identifier: Apache-2.0

package skill

// Scratch is space that a caller who loads many skills keeps from one to the next. The zero
// value is ready. Two loads must not use it at once; nothing of it is in what they return.
type Scratch struct {
	head   []byte
	text   []byte
	values []Value
	items  []*Value
	fields [maxSimple + 1][]Field

	findings []Finding
}

// reset makes the space for values free again.
func (s *Scratch) reset() {
	s.values, s.items = s.values[:0], s.items[:0]
	for i := range s.fields {
		s.fields[i] = s.fields[i][:0]
	}
}

// value returns a new value. Earlier ones stay where they are.
func (s *Scratch) value() *Value {
	n := len(s.values)
	if n == cap(s.values) {
		s.values, n = make([]Value, 0, max(8, n)), 0
	}
	s.values = s.values[:n+1]
	v := &s.values[n]
	*v = Value{}
	return v
}

// itemsFrom returns the items that were added since there were start of them.
func (s *Scratch) itemsFrom(start int) []*Value {
	return s.items[start:len(s.items):len(s.items)]
}
