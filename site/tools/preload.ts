import type { Plugin } from "vite";

/**
 * Which scripts are requested together with one that is imported later: those that it imports, and itself only if it has a style,
 * for which the browser waits before it imports. So the first script has the names of most others once, not twice.
 */
export function preload(): Plugin {
  const styled = new Set<string>();
  return {
    name: "pilotlight-preload",
    apply: "build",
    config: () => ({
      build: {
        modulePreload: {
          polyfill: false,
          resolveDependencies: (script, needed) => needed.filter((name) => name !== script || styled.has(script)),
        },
      },
    }),
    generateBundle: {
      // Before Vite puts the names into the scripts.
      order: "pre",
      handler(_, bundle) {
        for (const chunk of Object.values(bundle))
          if (chunk.type === "chunk" && chunk.viteMetadata?.importedCss.size) styled.add(chunk.fileName);
      },
    },
  };
}
