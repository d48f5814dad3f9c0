// PAGE-01: a cursor is used exactly as it came, and soon.
import { type Check, fail, notExercised, pass } from "../check.ts";
import { isInjected, type RequestEntry, told } from "../observed.ts";

export const page01: Check = {
  id: "PAGE-01",
  level: "must",
  title: "A cursor is used exactly as it came",
  done: "Nothing; each cursor is held against those that were issued before it.",
  rule: "Otherwise repeat the request with `cursor` set to exactly that value. A cursor is opaque and should be used soon.",
  advice: "Send `next` back as it is, escaped for a URL, and never store it for another day.",
  explain: {
    happens:
      "A cursor looks like a number or like base64, so somebody counts it up or keeps it for tomorrow's run. One day its form changes, and the nightly import reads nothing, or the same page for ever.",
    instead: "Take `next` of the answer, and nothing else. Begin each run with the first page.",
    code: `for (let cursor; ; cursor = page.next) {
  const query = new URLSearchParams(cursor ? { cursor } : {});
  page = await get(\`/v1/bookings?\${query}\`);
  for (const booking of page.items) keep(booking);
  if (!page.next) break;
}`,
  },
  judge(observed) {
    const issued = new Set<string>();
    const [strange, used]: RequestEntry[][] = [[], []];
    for (const request of observed.requests) {
      const cursor = request.request?.query.cursor;
      if (typeof cursor === "string" && cursor !== "") (issued.has(cursor) ? used : strange)?.push(request);
      const { next } = (request.answer?.body ?? {}) as { next?: unknown };
      if (typeof next === "string") issued.add(next);
    }
    if (strange && strange.length > 0)
      return fail(
        "a cursor was sent that no page had issued",
        strange
          .slice(0, 5)
          .map((each) => told(each, `, cursor of ${String(each.request?.query.cursor).length} characters`)),
      );
    const pages = observed.requests.some(
      (each) => !isInjected(each) && (each.answer?.body as { next?: string } | null)?.next,
    );
    return used && used.length > 0
      ? pass("every cursor was used as it came")
      : notExercised(pages ? "no page after the first was read" : "no list had a second page");
  },
};
