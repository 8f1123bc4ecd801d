/** speedscope as npm has it, installed below target/ when it is not there. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

export const VERSION = "1.25.0";

/** The folder with its page. */
export function speedscopeSite(target) {
  const folder = join(target, `speedscope-${VERSION}`);
  const site = join(folder, "node_modules/speedscope/dist/release");
  if (!existsSync(site)) {
    mkdirSync(folder, { recursive: true });
    const words = ["install", "--prefix", folder, "--no-save", "--ignore-scripts", `speedscope@${VERSION}`];
    execFileSync("npm", words, { stdio: ["ignore", "ignore", "inherit"] });
  }
  return site;
}
