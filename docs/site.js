// SPDX-License-Identifier: BSD-2-Clause
// A browser gives no file to the search of a page that is itself a file: the page says what serves it.
if (location.protocol === "file:") {
	const note = document.createElement("span");
	note.className = "search-needs-server";
	note.textContent = "Search: python3 -m http.server --directory build/site";
	document.querySelector(".md-search").replaceWith(note);
	document.querySelector('label[for="__search"]').remove();
}

// Code in a sentence or cell stays in one line, unless it is longer than a narrow column.
for (const code of document.querySelectorAll(".md-typeset :not(pre) > code"))
	code.classList.toggle("long", code.textContent.length > 32);

// Where the column cuts programs, or tables of figures (which have a line below their headings), they get smaller letters, down
// to a size that can be read; what is wider still scrolls.
const fit = () => {
	for (const code of document.querySelectorAll(".md-content pre > code")) {
		const smallest = /^-{20,}$/m.test(code.textContent) ? 9 : 11;
		code.style.fontSize = "";
		const style = getComputedStyle(code);
		const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
		const part = (code.clientWidth - padding) / (code.scrollWidth - padding);
		if (part < 1)
			code.style.fontSize = `${Math.max(smallest, Math.floor(parseFloat(style.fontSize) * part * 10) / 10)}px`;
	}
};
fit();
addEventListener("resize", fit);
