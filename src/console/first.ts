// A script of its own, which is there long before the console: it asks for the lines in sight, and the answer comes while the console
// is still being read.

import { sandboxUrl } from "./home.ts";
import { FIRST_PAGE_SIZE, MANUAL_HEADERS, prefetch } from "./prefetch.ts";

const world = encodeURIComponent(new URLSearchParams(location.search).get("world") ?? "default");
const request = new Request(`${sandboxUrl}/_sandbox/log?view=told&limit=${FIRST_PAGE_SIZE}`, {
  headers: { ...MANUAL_HEADERS, "sandbox-world": world },
});
// Read whole, so that the lines are drawn in the first frame of the console.
const response = fetch(request).then(async (answer) => new Response(await answer.arrayBuffer(), answer));
// Whoever takes the answer learns of it.
response.catch(() => undefined);
prefetch.first = { request, response };
