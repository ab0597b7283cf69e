// Package step09 makes directions unit vectors, and stores what the hit test
// needs of a radius: its square and its inverse.
//
// The coefficient a of the quadratic equation is then 1 and disappears, and
// with it two divisions. Distances along a ray are now those of the scene.
package step09
