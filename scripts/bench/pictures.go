package main

import (
	"context"
	"fmt"
	"strings"

	"raysteps/scripts/internal/measure"
	"raysteps/scripts/internal/steps"
)

// comparePictures finds in which scenes two versions render other pictures, in the size of a
// thumbnail. A revision may have none of a scene.
func (b *bench) comparePictures(ctx context.Context, sides []*measure.Side) error {
	var changed []string
	checksums := map[string]float64{}
	for _, side := range sides {
		if err := side.Link(ctx, 0); err != nil {
			return err
		}
		pattern := steps.SlicePattern("Thumbnail", b.steps)
		pictures, err := side.Benchmarks(ctx, "BenchmarkThumbnail", pattern, 1, 0)
		if err != nil {
			return err
		}
		for _, p := range pictures {
			checksum := p.Values["crc32"]
			if old, ok := checksums[p.Name]; ok && old != checksum {
				changed = append(changed, p.Name[strings.LastIndex(p.Name, "=")+1:])
			}
			checksums[p.Name] = checksum
		}
	}
	if changed != nil {
		const format = "the picture is NOT that of %s: %s scene; to see it: go run ./scripts/render, here and in a checkout of it"
		b.changed = fmt.Errorf(format, b.against, strings.Join(changed, ", "))
	}
	return nil
}
