// Package step04 puts the spheres into one array.
//
// The world's slice holds spheres instead of pointers to spheres. Neighbors in
// the slice are neighbors in memory. The hit loop no longer loads a pointer for
// each sphere, but it loads the slice again.
package step04
