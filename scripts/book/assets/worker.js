"use strict";

// The worker that runs the program. Its first message is the compiled program, which
// takes the messages that follow.
importScripts("wasm_exec.js");
onmessage = async e => {
	const go = new Go();
	try {
		go.run(await WebAssembly.instantiate(e.data, go.importObject));
	} catch (error) {
		postMessage({ kind: "error", error: String(error) });
	}
};
