/** The base of a page that stands alone with several routes: which one is a parameter of its own address. */
export const base: URL = new URL(".", document.baseURI);

export const standalone: boolean = true;

const PAGE = "page";

export function currentPath(): string {
  return new URLSearchParams(location.search).get(PAGE) ?? "";
}

export function address(pathAndQuery: string): string {
  const [path, query = ""] = pathAndQuery.split("?");
  const url = new URL(location.href);
  url.search = [path && `${PAGE}=${path}`, query].filter(Boolean).join("&");
  url.hash = "";
  return url.href;
}
