package step13

import (
	"unsafe"

	"raysteps/common/instrument"
)

// measure gives the worker instruments, and tells them how much memory there
// is. It is called before the worker starts.
func (w *worker) measure(i instrument.Worker) {
	w.instruments, w.pass.instruments = i, i
	const number = 4 // bytes of a float32
	pass := w.pass
	i.Memory(
		len(pass.cx)*(4*number+int(unsafe.Sizeof(Surface{}))),
		w.film.Bytes(),
		8*len(pass.candidates)+number*(len(pass.nb)+len(pass.discriminants)+3*len(w.attenuations)))
}
