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
    const pages = await Promise.all((await ranked(term)).slice(0, MOST).map((result) => result.data()));
    // Something else may have been typed since.
    if (field.value.trim() === term) show(term, pages.map(best));
  } catch {
    show("", [], "The search could not be loaded. Reload the page to try again.");
  }
}

/** Pages that have the words next to each other come first, and then only these places count. */
async function ranked(term) {
  const { search } = await pagefind();
  const { results } = await search(term);
  if (!/\s/.test(term) || term.includes('"')) return results;
  const exact = new Map((await search(`"${term}"`)).results.map((result) => [result.id, result]));
  return [
    ...results.filter(({ id }) => exact.has(id)).map(({ id }) => exact.get(id)),
    ...results.filter(({ id }) => !exact.has(id)),
  ];
}

/** The section of a page that a result is about. Words in a heading weigh more than several in its text. */
function best({ url, meta, excerpt, sub_results: sections }) {
  const weight = ({ weighted_locations: places }) => places.reduce((sum, place) => sum + place.balanced_score, 0);
  const section = sections.reduce((a, b) => (weight(b) > weight(a) ? b : a), sections[0]);
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
