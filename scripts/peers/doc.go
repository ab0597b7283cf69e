// Peers builds programs of others, with what the folder cpp has for them, and ours;
// recipes.txt has their commands, and programs.go says which there are. They take turns
// scene by scene, in rounds for which ours are linked in other orders, and have the same
// clock:
//
//	rays      the closest hits of the same recorded rays, on one core: the tree, the
//	          wavefront, step 12, and Embree by rtcIntersect1, 8 and 16
//	pictures  1280x720 with ten samples and the conversion to 8 bits: our steps, the
//	          article's program, Toy Path Tracer, a path tracer over Embree, and path
//	          tracers in Go, whose pictures are held against ours
//	flags     the article's step 9, and its steps 10 to 12 with and without FMA and
//	          -ffast-math, and ours
//
// Programs of others are clones beside that of this module, each at one commit. What
// cannot be built peers leaves out, and says why and how to get it.
//
// Examples, in scripts/peers:
//
//	go run .                              # rays and pictures, 17 minutes
//	go run . -only flags                  # what each flag is worth
//	go run . -only rays -rounds 3
//	go run . -embree ~/embree/install     # beside a build of Embree 4
package main
