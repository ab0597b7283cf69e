// Package step04 puts the spheres into one array.
//
// The world's slice holds spheres instead of pointers to spheres. Neighbors in
// the slice are neighbors in memory, and a load disappears from the hit loop.
package step04
