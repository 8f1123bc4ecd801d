/** Where the site is mounted, with a trailing slash. Every route is one level deep, so it is the page's own folder. */
export const base: URL = new URL(".", document.baseURI);
