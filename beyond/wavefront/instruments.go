package wavefront

import "raysteps/common/instrument"

// measure gives the worker instruments. It is called before the worker starts.
func (w *worker) measure(i instrument.Worker) { w.instruments, w.search.instruments = i, i }
