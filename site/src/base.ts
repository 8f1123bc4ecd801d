/** Where the site is mounted, with a trailing slash. Every route is one level deep, so it is the page's own folder. */
export const base: URL = new URL(".", document.baseURI);

/** Whether this page is a file that somebody keeps, without other pages and without a server. */
export const standalone: boolean = false;

/** The path below the base that the page has now. */
export function currentPath(): string {
  return location.pathname.slice(base.pathname.length);
}

/** The address of a path below the base and its query. */
export function address(pathAndQuery: string): string {
  return new URL(pathAndQuery, base).href;
}
