// Peers builds programs of others, with what scripts/peers/cpp has for them, and ours;
// scripts/peers/programs.go has their commands. They take turns scene by scene, in
// rounds for which ours are linked in other orders, and have the same clock:
//
//	rays      the closest hits of the same recorded rays, on one core: the tree, the
//	          wavefront, step 12, and Embree by rtcIntersect1, 8 and 16
//	pictures  1280x720 with ten samples and the conversion to 8 bits: our steps, the
//	          article's program, Toy Path Tracer, and a path tracer over Embree
//	flags     the article's steps 10 to 12 with and without FMA and -ffast-math, and ours
//
// What cannot be built peers leaves out, and says why; docs/cpp.md has what to install.
//
// Examples:
//
//	go run ./scripts/peers                            # all, about a quarter of an hour
//	go run ./scripts/peers -only rays -rounds 3
//	go run ./scripts/peers -embree ../embree/install  # beside a build of Embree 4
package main
