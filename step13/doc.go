// Package step13 renders on several goroutines, the workers. A worker that is
// free takes the next tile of the picture from an atomic counter.
//
// The random numbers of a tile start from its number, so picture and number of
// rays are the same for any number of workers.
package step13
