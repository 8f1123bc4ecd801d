import { core } from "./core/index.ts";
import { startOffline } from "./offline.ts";
import { page, startPages } from "./pages/routes.tsx";
import { lasting } from "./state/page/notice.ts";
import { fileRoute } from "./state/url/router.ts";

startPages();
if (location.search !== "") {
  const [opened, query] = [page.peek(), location.search];
  void import("./state/url/linkproblems.ts").then((module) => {
    lasting.value = module.linkProblems(opened, query);
  });
}
const { embed } = fileRoute.peek();
if (!embed) startOffline();
else if (parent !== window) void import("./embedded.ts").then((module) => module.startEmbedded());
// Where a file may come, and none is on its way. The person hears of a failure with the file.
if (location.hash === "" && (page.peek() === "file" || page.peek() === "home")) core.warmUp().catch(console.warn);

function openLinked(): void {
  if (page.peek() === "file" && location.hash.startsWith("#p="))
    void import("./state/profile/linked.ts").then((module) => module.openLinked());
}
openLinked();
// Of a link that is followed on the page of files itself, nothing but this changes.
addEventListener("hashchange", openLinked);
