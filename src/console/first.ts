// A script of its own, which is there long before the console: it asks for the lines in sight, and the answer comes while the console
// is still being read.
import { BY_HAND, early, LINES_IN_SIGHT } from "./early.ts";
import { sandboxUrl } from "./home.ts";

const world = encodeURIComponent(new URLSearchParams(location.search).get("world") ?? "default");
const request = new Request(`${sandboxUrl}/_sandbox/log?view=told&limit=${LINES_IN_SIGHT}`, {
  headers: { ...BY_HAND, "sandbox-world": world },
});
// Read whole, so that the lines are drawn in the first frame of the console.
const response = fetch(request).then(async (answer) => new Response(await answer.arrayBuffer(), answer));
// Whoever takes the answer learns of it.
response.catch(() => undefined);
early.first = { request, response };
