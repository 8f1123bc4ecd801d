// The service worker. offline.ts writes VERSION, FILES and PAGES before it, and the whole into the folder of the site.
//
// Pages come from the network while there is one, so that a new version shows at once. They name their scripts by a hash:
// those of the version that is kept come from the cache, any other from the network. What is no file of the site, as the API,
// is never answered here and never kept. A new version waits until no page of the old one is open, then takes its place.

/* global VERSION, FILES, PAGES */

const { scope } = self.registration;
const PREFIX = `pilotlight ${scope} `;
const CACHE = PREFIX + VERSION;

self.addEventListener("install", (event) => event.waitUntil(keep()));
self.addEventListener("activate", (event) => event.waitUntil(forgetOthers()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(scope)) return;
  const path = request.url.slice(scope.length).replace(/[?#].*/s, "");
  if (request.mode === "navigate") {
    if (PAGES.includes(path.replace(/(^index)?\.html$/, ""))) event.respondWith(page(request));
  } else if (FILES.includes(path)) {
    event.respondWith(kept(path).then((found) => found ?? fetch(request)));
  }
});

async function keep() {
  const cache = await caches.open(CACHE);
  await Promise.all(
    ["", ...FILES].map(async (file) => {
      const url = new URL(file, scope);
      // Past the browser's own cache, which may have it from the version before.
      const response = await fetch(url, { cache: "no-cache" });
      if (!response.ok) throw new Error(`${url} answered with ${response.status}`);
      // A browser shows no page that came by way of a redirect and is kept so.
      await cache.put(url, response.redirected ? new Response(response.body, response) : response);
    }),
  );
}

async function forgetOthers() {
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name);
  }
  await self.clients.claim();
}

async function page(request) {
  try {
    return await fetch(request);
  } catch (failure) {
    const found = await kept("");
    if (!found) throw failure;
    return found;
  }
}

/** Opens no cache, which would make it again while a new version deletes it. */
function kept(file) {
  return caches.match(new URL(file, scope), { cacheName: CACHE });
}
