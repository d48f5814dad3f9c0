// The first script of the page. It requests the visible log lines while the console is still loading.

import { sandboxUrl } from "./home.ts";
import { FIRST_PAGE_SIZE, MANUAL_HEADERS, prefetch } from "./prefetch.ts";

const world = encodeURIComponent(new URLSearchParams(location.search).get("world") ?? "default");
const request = new Request(`${sandboxUrl}/_sandbox/log?view=told&limit=${FIRST_PAGE_SIZE}`, {
  headers: { ...MANUAL_HEADERS, "sandbox-world": world },
});
// The body is read completely, so that the lines are drawn in the first frame.
const response = fetch(request).then(async (answer) => new Response(await answer.arrayBuffer(), answer));
// The consumer of the response handles the rejection; this handler only prevents a console error.
response.catch(() => undefined);
prefetch.first = { request, response };
