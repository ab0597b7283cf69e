package testbinary

import (
	"go/ast"
	"slices"
)

// plant returns a test file with a call of [measure.Work] in the loops of benchmarks, and whether it has any.
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
