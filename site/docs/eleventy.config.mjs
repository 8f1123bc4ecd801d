// Makes dist/docs of the Markdown in the project's docs folder: `npm run docs`, after the site's own build.
//
// Links are relative, so the pages work wherever the site is mounted. Pagefind reads what this writes, for the search.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const docs = fileURLToPath(new URL("../../docs", import.meta.url));
const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** A page's path below the docs folder, without `.md`: `README` is the index of its folder. */
const pageName = (path) => path.replace(/^\/+/, "").replace(/(^|\/)README$/, "$1index");

/** The name that GitHub gives a heading, since links in the texts are written for both. */
const slug = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
    .replaceAll(" ", "-");

/** What the first heading says, without its marks. */
const titleOf = (text) => (/^# (.*)$/m.exec(text)?.[1] ?? "").replaceAll("`", "");

/** The list of pages in README.md: `[{ title, pages: [{ name, title }] }]`. */
function contents() {
  const text = readFileSync(`${docs}/README.md`, "utf8");
  return text
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      title: part.split("\n")[0],
      pages: [...part.matchAll(/\[([^\]]+)\]\(([^):#]+)\.md\)/g)].map(([, title, path]) => ({
        title,
        name: pageName(path),
      })),
    }))
    .filter(({ pages }) => pages.length > 0);
}

/** Anchors for headings, links between pages, and tables that scroll by themselves. */
function texts(markdown) {
  markdown.core.ruler.push("anchors", ({ tokens }) => {
    const seen = new Map();
    tokens.forEach((token, i) => {
      if (token.type !== "heading_open") return;
      const name = slug(tokens[i + 1].children.map(({ content }) => content).join(""));
      const times = seen.get(name) ?? 0;
      seen.set(name, times + 1);
      token.attrSet("id", times === 0 ? name : `${name}-${times}`);
    });
  });
  markdown.core.ruler.push("links", ({ tokens }) => {
    for (const { children } of tokens) {
      for (const [i, token] of (children ?? []).entries()) {
        if (token.type !== "link_open") continue;
        const href = token.attrGet("href");
        const page = /^((?:\.\.\/)?([\w./-]+))\.md(#.*)?$/.exec(href);
        const text = children[i + 1];
        if (page) {
          token.attrSet("href", `${pageName(page[1])}.html${page[3] ?? ""}`);
          // On this site pages have titles.
          if (text.content === `${page[1]}.md`) text.content = titleOf(readFileSync(`${docs}/${page[2]}.md`, "utf8"));
        }
        // A file of the repository, which is not on this site: its name remains.
        else if (!/^(https?:|#|images\/)/.test(href)) {
          const end = children.findIndex(({ type }, at) => at > i && type === "link_close");
          [token.hidden, token.attrs, children[end].hidden] = [true, null, true];
        }
      }
    }
  });
  markdown.renderer.rules.table_open = () => '<div class="table" role="region" aria-label="Table" tabindex="0"><table>';
  markdown.renderer.rules.table_close = () => "</table></div>";
  markdown.renderer.rules.fence = (tokens, i) =>
    `<pre tabindex="0"><code>${markdown.utils.escapeHtml(tokens[i].content)}</code></pre>\n`;
}

export default function configure(eleventy) {
  eleventy.amendLibrary("md", texts);
  eleventy.setInputDirectory("../docs");
  eleventy.setLayoutsDirectory("../site/docs");
  eleventy.setOutputDirectory(fileURLToPath(new URL("../dist/docs", import.meta.url)));
  eleventy.setTemplateFormats("md");
  eleventy.addGlobalData("layout", "page.liquid");
  eleventy.addGlobalData("version", version);
  eleventy.addGlobalData("contents", contents);
  eleventy.addGlobalData(
    "permalink",
    () =>
      ({ page }) =>
        `${pageName(page.filePathStem)}.html`,
  );
  eleventy.addGlobalData("eleventyComputed", {
    title: ({ page }) => titleOf(page.rawInput),
    name: ({ page }) => pageName(page.filePathStem),
    /** From the page to the top of the docs. */
    up: ({ page }) => "../".repeat(pageName(page.filePathStem).split("/").length - 1),
  });
  for (const file of ["docs.css", "docs.js"])
    eleventy.addPassthroughCopy({ [fileURLToPath(new URL(file, import.meta.url))]: file });
  eleventy.addPassthroughCopy({ [fileURLToPath(new URL("../src/style/tokens.css", import.meta.url))]: "tokens.css" });
  return { markdownTemplateEngine: false };
}
