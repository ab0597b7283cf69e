"use strict";

// The steps themselves, compiled for WebAssembly, in a worker of this page. Nothing of
// what they say leaves the page.
book.tab = (() => {
	const root = document.body.dataset.root;
	// A program of one function that returns a vector: a browser without SIMD refuses it.
	const vector = new Uint8Array([
		0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253,
		98, 11,
	]);
	let prepared = null; // a promise of the compiled program
	let idle = null; // a worker without a job

	// about says what can run here, without loading it.
	async function about() {
		if (location.protocol === "file:")
			throw new Error(
				"Steps run where the book comes from a server: go run ./scripts/book in a clone is one.",
			);
		if (!window.WebAssembly || !window.Worker || !window.DecompressionStream) {
			throw new Error(
				"This browser cannot run the steps: it lacks WebAssembly, or the means to unpack it.",
			);
		}
		const info = await book.load("tab");
		return {
			info,
			takes: info.Programs.includes("simd128") && WebAssembly.validate(vector) ? "simd128" : "plain",
		};
	}

	async function compile() {
		const { info, takes } = await about();
		const answer = await fetch(`${root}assets/${takes}.wasm.gz`);
		if (!answer.ok) throw new Error("The steps cannot be loaded: " + (await answer.text()));
		let bytes = await answer.arrayBuffer();
		if (new Uint8Array(bytes)[0] === 0x1f) {
			// not unpacked on the way, as some servers have it
			bytes = await new Response(
				new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")),
			).arrayBuffer();
		}
		return { info, takes, module: await WebAssembly.compile(bytes) };
	}

	async function newWorker() {
		const { module } = await prepare();
		const worker = new Worker(root + "assets/worker.js");
		await new Promise((resolve, reject) => {
			worker.onmessage = e => (e.data.kind === "ready" ? resolve() : reject(new Error(e.data.error)));
			worker.onerror = e => reject(new Error(e.message || "The worker cannot be loaded."));
			worker.postMessage(module);
		});
		return worker;
	}

	// prepare loads the program, once, and warm starts a worker as well. What failed is tried again: the server may be back.
	const prepare = () =>
		(prepared ??= compile().catch(e => {
			prepared = null;
			throw e;
		}));
	const warm = () =>
		(idle ??= newWorker().catch(e => {
			idle = null;
			throw e;
		}));

	// run asks for a job and hands its messages over, until it ends or a signal stops it.
	async function run(request, signal, take) {
		const worker = await warm();
		idle = null;
		return new Promise((resolve, reject) => {
			const stop = error => {
				worker.terminate();
				reject(error);
			};
			if (signal?.aborted) return stop(new Error("stopped"));
			signal?.addEventListener("abort", () => stop(new Error("stopped")));
			worker.onerror = e => stop(new Error(e.message));
			worker.onmessage = e => {
				if (e.data.kind === "error") stop(new Error(e.data.error));
				else if (e.data.kind !== "end") take(e.data);
				else {
					idle ??= Promise.resolve(worker);
					resolve();
				}
			};
			worker.postMessage(request);
		});
	}

	// machine is what a browser says of the machine that it runs on; the reader may know
	// better.
	function machine() {
		const agent = navigator.userAgent;
		const known = [/(Firefox|Edg|OPR)\/([\d]+)/, /(Chrome)\/([\d]+)/, /(Version)\/([\d.]+)/]
			.map(p => p.exec(agent))
			.find(Boolean);
		const browser = (known?.slice(1).join(" ") || "browser")
			.replace("Edg ", "Edge ")
			.replace("Version", "Safari");
		const system = navigator.userAgentData?.platform || navigator.platform || "";
		return [browser, system, `${navigator.hardwareConcurrency} threads`].filter(Boolean).join(", ");
	}

	const rate = v =>
		v >= 1e6
			? (v / 1e6).toFixed(v >= 1e8 ? 0 : v >= 1e7 ? 1 : 2) + "M"
			: (v / 1e3).toFixed(v >= 1e5 ? 0 : 1) + "k";
	return { about, prepare, run, machine, rate };
})();
