"use strict";

// What all pages have: light and dark, the contents on a narrow screen, and the
// search. Data come as scripts that call book.data, since a page that is opened as
// a file may load nothing else.
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
		const e = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
		for (const [name, value] of Object.entries(attributes || {})) {
			if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
			else if (value === true) e.setAttribute(name, "");
			else if (value !== false && value != null) e.setAttribute(name, value);
		}
		e.append(...content);
		return e;
	}

	function remember(theme) {
		try {
			if (theme) localStorage.setItem("theme", theme);
			return localStorage.getItem("theme");
		} catch { // a browser may refuse
			return null;
		}
	}
	const theme = remember();
	if (theme === "light" || theme === "dark") html.dataset.theme = theme;

	document.addEventListener("DOMContentLoaded", () => {
		document.getElementById("theme").onclick = () => {
			const dark = html.dataset.theme ? html.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
			html.dataset.theme = dark ? "light" : "dark";
			remember(html.dataset.theme);
		};

		const contents = document.getElementById("contents"), menu = document.getElementById("menu");
		const show = open => {
			contents.classList.toggle("open", open);
			menu.setAttribute("aria-expanded", open);
		};
		menu.onclick = () => show(!contents.classList.contains("open"));
		contents.addEventListener("click", e => e.target.closest("a") && show(false));
		const current = contents.querySelector("[aria-current]");
		if (current) contents.scrollTop = current.offsetTop - 200;

		search(document.getElementById("search"), document.getElementById("found"), show);
	});

	function search(input, found, showContents) {
		let sections = null;
		const links = () => [...found.querySelectorAll("a")];
		const close = () => { found.hidden = true; };
		const look = async () => {
			const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
			if (!words.length) return close();
			try {
				sections ??= (await load("search")).map(s => ({ ...s, title: s.t.toLowerCase(), text: s.x.toLowerCase() }));
			} catch (e) {
				found.replaceChildren(make("p", {}, e.message));
				found.hidden = false;
				return;
			}
			// A word in the title is worth more than one in the text, and several
			// in a text no more than ten of them.
			const hits = [];
			for (const s of sections) {
				let score = 0;
				for (const w of words) {
					const inText = Math.min(10, s.text.split(w).length - 1), inTitle = s.title.includes(w);
					if (!inText && !inTitle) { score = 0; break; }
					score += inText + (inTitle ? 20 : 0);
				}
				if (score) hits.push([score, s]);
			}
			hits.sort((a, b) => b[0] - a[0]);
			found.replaceChildren(...hits.slice(0, 30).map(([, s]) => make("a",
				{ href: document.body.dataset.root + s.p + (s.a ? "#" + s.a : "") },
				make("b", {}, s.t), excerpt(s, words))));
			if (!hits.length) found.append(make("p", {}, "Nothing found with all of these words."));
			found.hidden = false;
		};
		const excerpt = (s, words) => {
			const at = Math.max(0, ...words.map(w => s.text.indexOf(w)).filter(i => i >= 0).slice(0, 1)) || 0;
			const from = Math.max(0, at - 60), small = make("small", {}, from ? "… " : "");
			const text = s.x.slice(from, from + 200);
			const word = new RegExp("(" + words.map(w => w.replace(/[^\p{L}\p{N}]/gu, "\\$&")).join("|") + ")", "i");
			text.split(word).forEach((part, i) => small.append(i % 2 ? make("mark", {}, part) : part));
			return small;
		};
		input.addEventListener("input", look);
		input.addEventListener("focus", () => { showContents(false); look(); });
		document.addEventListener("click", e => { if (!e.target.closest(".search")) close(); });
		document.addEventListener("keydown", e => {
			const all = links(), at = all.indexOf(document.activeElement);
			if (e.key === "/" && !/INPUT|SELECT|TEXTAREA/.test(document.activeElement.tagName)) {
				e.preventDefault();
				input.focus();
				input.select();
			} else if (e.key === "Escape" && !found.hidden) {
				close();
				input.blur();
			} else if (e.key === "ArrowDown" && !found.hidden && (at >= 0 || document.activeElement === input)) {
				e.preventDefault();
				(all[at + 1] || all[at])?.focus();
			} else if (e.key === "ArrowUp" && at >= 0) {
				e.preventDefault();
				(all[at - 1] || input).focus();
			} else if (e.key === "Enter" && document.activeElement === input) {
				all[0]?.click();
			}
		});
	}

	return { load, make, data: (name, value) => given[name]?.(value) };
})();
