package tree

import (
	"unsafe"

	"raysteps/common/instrument"
)

// measure gives the worker instruments, and tells them how much memory there
// is. It is called before the worker starts.
func (w *worker) measure(i instrument.Worker) {
	w.instruments, w.search.instruments = i, i
	const number = 4 // bytes of a float32
	s, world := w.search, w.world
	i.Memory(
		len(world.sceneIndex)*(5*number+int(unsafe.Sizeof(Surface{})))+
			len(world.nodes)*int(unsafe.Sizeof(node{}))+len(world.wide)*int(unsafe.Sizeof(wideNode{})),
		w.film.Bytes(),
		int(unsafe.Sizeof(*s))+8*len(s.firstPass.candidates)+number*(len(s.nb)+len(s.discriminants)+3*len(w.attenuations))+
			len(s.stack)*int(unsafe.Sizeof(branch{})))
}
