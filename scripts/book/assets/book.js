"use strict";

// What all pages have: data, elements, light and dark, and the contents on a narrow screen.
// Data come as scripts that call book.data, since a page that is opened as a file may load
// nothing else.
const book = (() => {
	const html = document.documentElement;
	const loaded = {}; // promises by name
	const given = {}; // what resolves them

	function load(name) {
		loaded[name] ??= new Promise((resolve, reject) => {
			given[name] = resolve;
			const script = document.createElement("script");
			script.src = document.body.dataset.root + "data/" + name + ".js";
			script.onerror = () => {
				delete loaded[name];
				reject(new Error("cannot load " + script.src));
			};
			document.head.append(script);
		});
		return loaded[name];
	}

	// make returns an element with attributes and content. Text is text, not HTML.
	function make(tag, attributes, ...content) {
		const svg = ["svg", "g", "path", "line", "circle", "text", "rect"].includes(tag);
		const e = svg
			? document.createElementNS("http://www.w3.org/2000/svg", tag)
			: document.createElement(tag);
		for (const [name, value] of Object.entries(attributes || {})) {
			if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
			else if (value === true) e.setAttribute(name, "");
			else if (value !== false && value != null) e.setAttribute(name, value);
		}
		e.append(...content);
		return e;
	}

	// seen calls a function when an element comes into view, once.
	function seen(element, call) {
		const watch = new IntersectionObserver(
			entries => {
				if (!entries.some(e => e.isIntersecting)) return;
				watch.disconnect();
				call();
			},
			{ rootMargin: "200px" },
		);
		watch.observe(element);
	}

	function remember(theme) {
		try {
			if (theme) localStorage.setItem("theme", theme);
			return localStorage.getItem("theme");
		} catch {
			// a browser may refuse
			return null;
		}
	}
	const theme = remember();
	if (theme === "light" || theme === "dark") html.dataset.theme = theme;

	function contents() {
		const list = document.getElementById("contents"),
			menu = document.getElementById("menu");
		const show = open => {
			list.classList.toggle("open", open);
			menu.setAttribute("aria-expanded", open);
		};
		menu.onclick = () => show(!list.classList.contains("open"));
		list.addEventListener("click", e => e.target.closest("a") && show(false));
		document.getElementById("search").addEventListener("focus", () => show(false));
		document.addEventListener("keydown", e => e.key === "Escape" && show(false));
		const current = list.querySelector("[aria-current]");
		if (current) list.scrollTop = current.offsetTop - 200;
	}

	document.addEventListener("DOMContentLoaded", () => {
		document.getElementById("theme").onclick = () => {
			const prefers = matchMedia("(prefers-color-scheme: dark)").matches;
			const dark = html.dataset.theme ? html.dataset.theme === "dark" : prefers;
			html.dataset.theme = dark ? "light" : "dark";
			remember(html.dataset.theme);
		};
		contents();
		const { root, offline } = document.body.dataset;
		if (offline && navigator.serviceWorker && isSecureContext && location.protocol !== "file:") {
			navigator.serviceWorker.register(root + "offline.js").catch(() => {}); // a browser may refuse
		}
	});

	return { load, make, seen, data: (name, value) => given[name]?.(value) };
})();
