// Package tree renders as step 13 does, with a tree of boxes in place of the
// loop over all spheres.
//
// Spheres that are near each other share a box, boxes that are near each other
// share a larger one, and what lies in a box that the ray misses is not looked
// at. The picture is that of step 13, to the byte: the boxes are larger than
// what they hold by as much as the first pass may be wrong. All but the search is
// step 13's, and imported.
package tree
