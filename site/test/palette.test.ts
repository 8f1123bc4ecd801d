import assert from "node:assert/strict";
import { test } from "node:test";
import { diffColour, diffPart, hueColour, makePalette, type Oklch, parseOklch } from "../src/flame/palette.ts";
import tokens from "../src/style/tokens.css?raw";

/** WCAG AA for text of this size. */
const CONTRAST = 4.5;

/** The rules of tokens.css that a theme uses, read the way a browser would: the last one wins. */
function themeTokens(selectors: string[], dark: boolean): (token: string) => string {
  const values = new Map<string, string>();
  for (const [, selector, body] of tokens.matchAll(/(:root[^{]*?)\s*\{([^}]*)\}/g)) {
    if (!selectors.includes(selector)) continue;
    for (const [, name, value] of body.matchAll(/(--[\w-]+):\s*([^;]+);/g)) values.set(name, value);
  }
  return (token) => {
    const value = values.get(token);
    assert.ok(value, `no token ${token}`);
    const pair = /^light-dark\((.+?\)|#\w+), (.+)\)$/.exec(value);
    return pair ? pair[dark ? 2 : 1] : value;
  };
}

const THEMES = {
  light: themeTokens([":root"], false),
  dark: themeTokens([":root"], true),
  "light, high contrast": themeTokens([":root", ':root[data-theme="contrast"]'], false),
  "dark, high contrast": themeTokens([":root", ':root[data-theme="contrast"]'], true),
};

for (const [name, read] of Object.entries(THEMES)) {
  test(`${name}: every frame colour carries its label`, () => {
    const palette = makePalette(read);
    const ink = luminance(palette.ink);
    for (const colour of [...palette.hues, ...palette.runs, ...palette.diff, palette.grey, palette.run]) {
      const ratio = contrast(luminance(colour), ink);
      assert.ok(ratio >= CONTRAST, `${colour} under ${palette.ink}: ${ratio.toFixed(2)}`);
    }
  });
  test(`${name}: text on the page is readable`, () => {
    for (const paper of ["--paper", "--panel", "--raised"]) {
      for (const ink of ["--ink", "--ink-soft", "--ink-faint"]) {
        const ratio = contrast(luminance(read(paper)), luminance(read(ink)));
        assert.ok(ratio >= CONTRAST, `${ink} on ${paper}: ${ratio.toFixed(2)}`);
      }
    }
    const action = contrast(luminance(read("--accent-ink")), luminance(read("--on-accent")));
    assert.ok(action >= CONTRAST, `primary action: ${action.toFixed(2)}`);
  });
}

test("paint words", () => {
  const palette = makePalette(THEMES.light);
  assert.equal(hueColour(palette, 200), palette.hues[200]);
  assert.equal(hueColour(palette, 256 + 200), palette.grey);
  assert.deepEqual([diffPart(0), diffPart(10_000), diffPart(0xffff & -5_000)], [0, 1, -0.5]);
  assert.equal(diffColour(palette, 0), palette.diff[100]);
  assert.equal(diffColour(palette, 10_000), palette.diff[200]);
  assert.equal(diffColour(palette, 0xffff & -10_000), palette.diff[0]);
  assert.equal(new Set(palette.hues).size, 256);
});

test("both ways of writing lightness are read", () => {
  assert.deepEqual(parseOklch("oklch(84% .08 60)"), { l: 0.84, c: 0.08, h: 60 });
  assert.deepEqual(parseOklch("oklch(0.84 0.08 none)"), { l: 0.84, c: 0.08, h: 0 });
  assert.throws(() => parseOklch("rgb(1 2 3)"), /not an oklch colour/);
});

function contrast(a: number, b: number): number {
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Relative luminance of `#rrggbb` or `oklch(…)`, clipped to what a screen shows. */
function luminance(colour: string): number {
  const [r, g, b] = colour.startsWith("#") ? fromHex(colour) : toLinear(parseOklch(colour));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function fromHex(hex: string): number[] {
  return [1, 3, 5].map((at) => {
    const value = parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
}

/** OKLCH to linear sRGB, after Björn Ottosson's definition of Oklab. */
function toLinear({ l, c, h }: Oklch): number[] {
  const [a, b] = [c * Math.cos((h * Math.PI) / 180), c * Math.sin((h * Math.PI) / 180)];
  const L = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const M = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const S = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * L - 3.3077115913 * M + 0.2309699292 * S,
    -1.2684380046 * L + 2.6097574011 * M - 0.3413193965 * S,
    -0.0041960863 * L - 0.7034186147 * M + 1.707614701 * S,
  ].map((value) => Math.min(1, Math.max(0, value)));
}
