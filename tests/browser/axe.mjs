/** What axe-core calls a serious or critical barrier for people with a screen reader, a keyboard or weak eyes. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The barriers of the page as it is, a line each. `options` are axe-core's. */
export async function barriers(page, options = {}) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(source);
  return page.evaluate(async (options) => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"], ...options });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)}: ${failureSummary.replace(/\s+/g, " ")}`),
      );
  }, options);
}
