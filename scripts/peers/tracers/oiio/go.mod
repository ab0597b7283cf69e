module github.com/flynn-nrg/go-vfx/go-oiio

go 1.26
