// SPDX-License-Identifier: Apache-2.0

package main

// A table is what is ours to decide about a version: names, comments, and where
// the types differ from the schema, each with its reason.
type table struct {
	version int
	dir     string // of the package, relative to the module's root
	name    string // of the package
	page    string // where the definitions are described

	// names are the Go names of definitions that have another one here.
	names map[string]string

	// variants are the names of a union's variants, as Union=tag, where the
	// variant's definition does not name it: it is shared, or there is none.
	variants map[string]string

	// plain are the names of definitions that are a variant in one place and
	// stand for themselves in another.
	plain map[string]string

	// unions says how a union's interface and its unknown variant look.
	unions map[string]unionNames

	// same are definitions that are one Go type.
	same map[string]string

	// raw are definitions that are kept as they are on the wire, by reason.
	raw map[string]string

	// byHand are definitions whose types are written by hand, by reason.
	byHand map[string]string

	// merged are unions that are one struct with the members of all variants, by
	// reason. check says that the struct has a method check, which sees to what
	// a variant requires.
	merged map[string]string
	check  map[string]bool

	// patches are definitions whose optional members have three states; single
	// members stand there as Def.member.
	patches map[string]bool

	// fields are the Go names of members, as Def.member.
	fields map[string]string

	// fieldTypes are the Go types of members, as Def.member, by hand.
	fieldTypes map[string]fieldType

	// methods are the names of methods' constants.
	methods map[string]string

	// consts are the prefixes of the constants of open enumerations: of a
	// definition, or of a member of a merged one.
	consts map[string]string

	// docs are the comments of types, members and groups of constants.
	docs map[string]string

	// sharedDocs are the other version's, for what is the same in both.
	sharedDocs map[string]string
}

type unionNames struct {
	method  string // that returns the tag
	unknown string // the type for what is not known
	field   string // of that type, for the tag
	byHand  string // why the interface is written by hand
}

type fieldType struct{ goType, field string }
