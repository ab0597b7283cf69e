// Package mem has the name of a package that generated code imports.
package mem

// Mem is a type with pointers.
type Mem struct{ P *int }
