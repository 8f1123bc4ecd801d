/** The browser that all files of tests share, or one for a file that runs alone. */
import { chromium } from "playwright-core";
import { SCRIPT } from "../local/ahead.mjs";

const options = () => ({
  executablePath: process.env.CHROMIUM,
  headless: true,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});

/** Starts one that many processes can use; they find it by PILOTLIGHT_BROWSER. */
export const launchServer = () => chromium.launchServer(options());

/** A browser; closing it closes what was opened by it. Its pages have the tests' clock. */
export async function launch() {
  const { PILOTLIGHT_BROWSER: shared } = process.env;
  const browser = await (shared ? chromium.connect(shared) : chromium.launch(options()));
  const { newContext } = browser;
  browser.newContext = async (options) => {
    const context = await newContext.call(browser, options);
    if (SCRIPT) await context.addInitScript(SCRIPT);
    return context;
  };
  return browser;
}
