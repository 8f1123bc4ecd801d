// The search of the docs, and the theme that was chosen on the site. The index is fetched with the first letter.
const [field, results] = ["search", "results"].map((id) => document.getElementById(id));
/** More results are not listed. */
const MOST = 8;

try {
  document.documentElement.dataset.theme = localStorage.getItem("pilotlight-theme") || "auto";
} catch {
  // Without storage the theme is the system's.
}

let index;
const pagefind = () => {
  index ??= import(new URL("pagefind/pagefind.js", import.meta.url)).then(async (module) => {
    await module.options({ excerptLength: 18 });
    return module;
  });
  return index;
};

field.addEventListener("input", () => void search(field.value.trim()));
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  }
  if (event.key === "Escape") {
    field.value = "";
    results.hidden = true;
  }
});

async function search(term) {
  if (term === "") {
    results.hidden = true;
    return;
  }
  try {
    const found = await (await pagefind()).search(term);
    const pages = await Promise.all(found.results.slice(0, MOST).map((result) => result.data()));
    // Something else may have been typed since.
    if (field.value.trim() === term) show(term, pages.map(best));
  } catch {
    show("", [], "The search could not be loaded. Reload the page to try again.");
  }
}

/** The section of a page that a result is about. */
function best({ url, meta, excerpt, sub_results: sections }) {
  const section = sections.reduce((a, b) => (b.locations.length > a.locations.length ? b : a), sections[0]);
  const title = section && section.title !== meta.title ? `${meta.title}: ${section.title}` : meta.title;
  return { url: section?.url ?? url, title, excerpt: section?.excerpt ?? excerpt };
}

function show(term, found, none = `Nothing found for "${term}".`) {
  const items = found.map(({ url, title, excerpt }) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = url;
    link.textContent = title;
    const text = document.createElement("p");
    // Pagefind escapes the text of the page; the marks are its own.
    text.innerHTML = excerpt;
    item.append(link, text);
    return item;
  });
  if (items.length === 0) results.textContent = none;
  else {
    const list = document.createElement("ul");
    list.append(...items);
    results.replaceChildren(list);
  }
  results.hidden = false;
}
