// Package step11 leaves the hit loop alone and looks at what is around it.
//
// Many small things. Materials are values, not interfaces, so ray and hit record
// can be local variables; a loop takes the place of recursion. The camera's next
// ray is made before a path ends. Random numbers that are needed together come
// from streams side by side, and their state is in local variables while points
// are drawn. Directions that are unit vectors are not made unit vectors again,
// and what glass needs of its refractive index is computed once.
package step11
