// SPDX-License-Identifier: Apache-2.0

package object

// A Patch is a field of an update that says one of three things: leave the
// value as it is (the zero Patch, omitted on the wire), clear it (null), or
// replace it.
type Patch[T any] struct {
	state patchState
	value T
}

type patchState uint8

const (
	unchanged patchState = iota
	cleared
	replaced
)

// Set is the patch that replaces the value.
func Set[T any](v T) Patch[T] { return Patch[T]{state: replaced, value: v} }

// Clear is the patch that clears the value.
func Clear[T any]() Patch[T] { return Patch[T]{state: cleared} }

// Get returns the new value. ok is false when the patch leaves or clears it.
func (p Patch[T]) Get() (v T, ok bool) { return p.value, p.state == replaced }

// IsZero reports whether the patch leaves the value as it is.
func (p Patch[T]) IsZero() bool { return p.state == unchanged }

// Clears reports whether the patch clears the value.
func (p Patch[T]) Clears() bool { return p.state == cleared }

// Apply is what the patch makes of a value.
func (p Patch[T]) Apply(old T) T {
	if p.state == unchanged {
		return old
	}
	return p.value
}

// SoftPatch is a three-state field: a wrong value is as if absent.
func SoftPatch[T any](name string, p *Patch[T], read Reader[T]) Field {
	return forgiving(StrictPatch(name, p, read))
}

// SoftPatchList is SoftPatch for an array, whose wrong elements are dropped
// alone.
func SoftPatchList[T any](name string, p *Patch[[]T], read Reader[T]) Field {
	return forgiving(patchList(name, p, read, true))
}

// StrictPatch is a three-state field: a wrong value is an error.
func StrictPatch[T any](name string, p *Patch[T], read Reader[T]) Field {
	return patchWith(name, p, read, func(b []byte, v T) ([]byte, error) { return Encode(b, v) })
}

// StrictPatchList is StrictPatch for an array.
func StrictPatchList[T any](name string, p *Patch[[]T], read Reader[T]) Field {
	return patchList(name, p, read, false)
}

func patchList[T any](name string, p *Patch[[]T], read Reader[T], skip bool) Field {
	return patchWith(name, p, func(tok []byte) ([]T, error) { return ReadList(tok, read, skip) }, EncodeList[T])
}

func patchWith[T any](name string, p *Patch[T], read Reader[T], write func([]byte, T) ([]byte, error)) Field {
	f := Field{name: name, read: func(tok []byte) error {
		if isNull(tok) {
			*p = Clear[T]()
			return nil
		}
		v, err := read(tok)
		if err == nil {
			*p = Set(v)
		}
		return err
	}}
	switch p.state {
	case replaced:
		f.write = func(b []byte) ([]byte, error) { return write(b, p.value) }
	case cleared:
		f.write = func(b []byte) ([]byte, error) { return append(b, "null"...), nil }
	}
	return f
}
