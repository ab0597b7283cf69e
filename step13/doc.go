// Package step13 renders on several goroutines, the workers. The picture is
// divided into square tiles, and a worker that is free takes the next one from
// an atomic counter.
//
// The random numbers of a tile start from its number, so it does not matter
// which worker renders it, when, and how many others there are: picture and
// number of rays are always the same. What a worker writes while it works is
// in cache lines of its own.
package step13
