"use strict";

// A button at each listing that copies it, without what is a terminal's: prompts. Numbers of
// lines are no text of the page.
(() => {
	const { make } = book;

	async function copy(pre, button) {
		const text = pre.textContent.replace(/^\$ /gm, "").replace(/\n?$/, "\n");
		try {
			await navigator.clipboard.writeText(text);
			button.textContent = "Copied";
		} catch {
			// which a page that is opened as a file may not
			getSelection().selectAllChildren(pre);
			button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
		}
		setTimeout(() => {
			button.textContent = "Copy";
		}, 2000);
	}

	for (const pre of document.querySelectorAll("main pre")) {
		const button = make(
			"button",
			{ type: "button", class: "copy", "aria-label": "copy this code", "aria-live": "polite" },
			"Copy",
		);
		button.onclick = () => copy(pre, button);
		const box = make("div", { class: "code" });
		pre.before(box);
		box.append(pre, button);
	}
})();
