/** Links that people have, and what the site makes of them: the address after the page has read it. They must not change. */
import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.ts";

const { formatRoute, parseRoute } = await import("../src/state/url/route.ts");

/** A link, and the address that it becomes, where that is another. */
const LINKS: [link: string, address?: string][] = [
  [""],
  ["?view=abc123"],
  [
    "?view=abc123&t=process_cpu:cpu:nanoseconds:cpu:nanoseconds&from=now-7d&until=now-1d&l=region%3D%22eu%22&q=shop&o=-total",
  ],
  ["?o=name&q=&view=", ""],
  ["index.html?from=now-6h", "?from=now-6h"],
  ["nowhere?t=a", "?t=a"],
  ["?w=1-2&p=labels&share=1&from2=now-2h&m=compare&embed=1&span=0123456789abcdef&split=v&vs=1-2#profileURL=a", ""],

  ["explore"],
  ["explore.html", "explore"],
  ["/explore/?s=a", "explore?s=a"],
  ["explore?s=shop+%26+caf%C3%A9/checkout&t=process_cpu:cpu:nanoseconds:cpu:nanoseconds"],
  [
    "explore?from=1700000000000&until=1700003600000&l=a%3D%22b%22&l=c%3D%7E%22d+e%22&l=a%3D%22b%22&w=1700000000000-1700000060000",
  ],
  ["explore?split=k8s.pod+%26+zone&span=0123456789abcdef&trace=0123456789abcdef0123456789abcdef"],
  ["explore?span=0123456789ABCDEF&span=0123456789abcdef&span=12", "explore?span=0123456789abcdef"],
  ["explore?p=types"],
  ["explore?p=labels&by=service_git_ref"],
  ["explore?p=labels&by=version,1.1,1.2"],
  ["explore?p=changes&by=,,"],
  ["explore?p=changes&by=a%252Cb,x%2520y,"],
  ["explore?p=singles&by=span"],
  ["explore?p=function&fn=orders.%28*Rule%29.matchesPattern"],
  ["explore?p=profile&v=flame&o=-self&x=0-1&i=0", "explore"],
  [
    "explore?s=a&t=b&from=now-2h&until=now-1h&l=x&w=1-2&split=v&p=labels&by=v&fn=f&v=both&f=focus:%5Ea%5C.b%24&f=group:package&f=recursion:direct&i=1&b=main.run&lb=file&g=0.35,412,-20&z=9f3a&x=0.25-0.5000001&n=00ff&q=/%5Emain/&o=name",
  ],
  ["explore?x=1e-9-1.2e-7", "explore?x=1e-9-1.2e-7"],
  ["explore?o=total&q=f&n=i&z=k&s=a", "explore?s=a&z=k&n=i&q=f&o=total"],
  [
    "explore?from=yesterday&until=-1&l=&w=9-3&v=pie&f=turn:a&f=focus&x=0.5-0.1&g=0,1,1&o=sideways&p=other&idle=yes",
    "explore",
  ],
  ["explore?m=compare&embed=1&vs=1-2&from2=now-3h&share=1&view=abc123#profileURL=a", "explore"],

  ["diff"],
  ["diff?from=now-1h&until=now-30m&from2=now-30m&until2=now", "diff"],
  [
    "diff?s=checkout&t=a:b:c:d:e&from=now-2h&until=now-1h&l=version%3D%221.1%22&from2=now-1h&l2=version%3D%221.2%22&l2=region%21%3D%22us%22&v=sides&f=hide:x%7Cy&z=1&q=q&o=-delta&norm=1",
  ],
  ["diff?norm=0"],
  ["diff?norm=rate"],
  ["diff?from=3000&until=5000&from2=6000&until2=7000&w=1000-9000"],
  ["diff?norm=yes&w=2-1&split=v&p=labels&m=compare", "diff"],

  ["file"],
  ["file?t=inuse_space&v=table&q=alloc&m=compare&norm=1&embed=1"],
  ["file?share=20780-00112233445566778899aabbccddeeff&share=20781-0&v=both"],
  ["file?share=&embed=yes&m=merge", "file"],
  ["file?f=time:0.5-2&f=tagfocus:region%3D%5Eeu%24&vs=2-3.25&idle=1&i=1"],
  ["file?vs=2-3", "file"],
  ["file?v=chart&f=time:0-1&vs=2-3&th=worker+1"],
  ["file?i=1&b=main&th=t&lb=file&v=lines", "file?v=lines&i=1&b=main&th=t&lb=file"],
  [
    "file?v=table#profileURL=https%3A%2F%2Fthere.test%2Fa+b.pb.gz%3Fx%3D1&title=before+%26+after&profileURL=%2Fmade%2Fc.jfr&title=",
  ],
  ["file#profileURL=%2Fa.pb"],
  ["file#profileURL=&localProfilePath=x", "file"],
  ["rules"],
  ["rules?from=now-7d"],
  ["rules?from=now-24h&until=now&s=a&v=table", "rules"],
  ["alerts"],
  ["alerts?from=now-7d&s=a", "alerts"],

  ["file?w=1-2&split=v&from2=now-2h&p=labels&view=abc123", "file"],
];

test("links that people have stay what they are", () => {
  for (const [link, address = link] of LINKS) {
    const { pathname, search, hash } = new URL(link, "http://x/");
    assert.equal(formatRoute(parseRoute(pathname, search, hash)), address, link);
  }
});
