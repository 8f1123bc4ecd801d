/** The base of a page that stands alone: it has one route, and keeps its state in its own address. */
export const base: URL = new URL(".", document.baseURI);

export const standalone: boolean = true;

export function currentPath(): string {
  return "file";
}

export function address(pathAndQuery: string): string {
  const url = new URL(location.href);
  url.search = pathAndQuery.replace(/^[^?]*/, "");
  url.hash = "";
  return url.href;
}
