/** The browser that all files of tests share, or one for a file that runs alone. */
import { chromium } from "playwright-core";

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

/** A browser; closing it closes what was opened by it. */
export function launch() {
  const { PILOTLIGHT_BROWSER: shared } = process.env;
  return shared ? chromium.connect(shared) : chromium.launch(options());
}
