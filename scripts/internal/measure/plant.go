package measure

import (
	"context"
	"errors"
	"go/ast"
	"slices"

	"raysteps/scripts/internal/estimate"
)

// plant returns a test file with a call of [Work] in the loops of benchmarks, and whether it has any.
// Lines keep their numbers.
func plant(file *ast.File, source []byte, server string) (text string, ok bool) {
	bodies := loops(file)
	for _, body := range slices.Backward(bodies) {
		source = slices.Insert(source, body, []byte(" "+added+".Work();")...)
	}
	if len(bodies) > 0 {
		source = slices.Insert(source, int(file.Name.End()-file.FileStart), []byte("; import "+added+" \""+server+"\"")...)
	}
	return string(source), len(bodies) > 0
}

// loops returns where the bodies of loops over b.N, b.Loop() and pb.Next() begin, if these are
// parameters of the testing package's types: behind the brace, in order.
func loops(file *ast.File) (bodies []int) {
	parameters := map[string]bool{}
	over := func(n ast.Node, body *ast.BlockStmt) {
		ast.Inspect(n, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := s.X.(*ast.Ident)
			if ok && parameters[x.Name] && slices.Contains([]string{"N", "Loop", "Next"}, s.Sel.Name) {
				bodies = append(bodies, int(body.Lbrace-file.FileStart)+1)
			}
			return true
		})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncType:
			for _, field := range n.Params.List {
				for _, name := range field.Names {
					parameters[name.Name] = parameters[name.Name] || points(field.Type, "B") || points(field.Type, "PB")
				}
			}
		case *ast.ForStmt:
			if n.Cond != nil {
				over(n.Cond, n.Body)
			}
		case *ast.RangeStmt:
			over(n.X, n.Body)
		}
		return true
	})
	slices.Sort(bodies)
	return slices.Compact(bodies)
}

// Planted returns how many squarings an iteration of a benchmark of a side is to do, so that it takes a
// share longer, in slices of n iterations. It measures that in turns with none.
func (s *Side) Planted(ctx context.Context, name string, n int, share float64) (work float64, err error) {
	p, err := s.Start(ctx, 1)
	if err != nil {
		return 0, err
	}
	defer p.Close() // nothing more is wanted of it
	work = 1
	for range 8 {
		var longer []float64
		for range 6 {
			taken, err := p.Ask(Request{Slices: []Run{{name, n, 0}, {name, n, work}}})
			if err != nil {
				return 0, err
			}
			if taken[0].Calls == 0 {
				return 0, errors.New("its loop is not in the tests of its package, and so nothing is planted there")
			}
			longer = append(longer, taken[1].Values["sec/op"]/taken[0].Values["sec/op"]-1)
		}
		// As much as half of the time is measured well, and is more than what overlaps.
		switch much := estimate.Median(longer); {
		case much > 0.25 && much < 1:
			return work * share / much, nil
		case much > 0.02:
			work *= 0.5 / much
		default:
			work *= 16
		}
	}
	return 0, errors.New("work that is planted in it does not make it slower")
}
