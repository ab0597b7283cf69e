// Package step06 splits the hit loop in two passes.
//
// The first pass computes the discriminant of every sphere and stores it,
// without a branch that depends on it. The second looks for those that are
// positive, which are few, and finds the hit. The stored discriminants belong to the tracer, not
// to the world: two tracers could share a world, but not their scratch space.
package step06
