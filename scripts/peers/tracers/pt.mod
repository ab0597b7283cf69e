module github.com/fogleman/pt

go 1.26
