// Why something is as it is: of anything that has an id.
import { HttpError } from "../errors.ts";
import { exchangeOf } from "../refused.ts";
import { whyRefused } from "../why-refusal.ts";
import { chosenWorld, type Handlers, ok } from "./handler.ts";

export const why: Handlers<"explain" | "explainLatestRefusal"> = {
  async explain(requested) {
    const { application, path } = requested;
    const world = chosenWorld(requested);
    const entry = application.requestLogs.find(world.id, path.id);
    if (!entry) throw new HttpError(404, `nothing ${path.id}`);
    const exchange = exchangeOf(entry);
    const refusal = exchange && (await whyRefused(exchange, { seq: 0, world }, application));
    return ok({
      id: path.id,
      kind: "request",
      title: entry.operation ?? "?",
      at: entry.at,
      wall_at: null,
      world: world.id,
      ...(refusal ? { refusal } : {}),
      facts: [],
      changes: [],
      entries: [],
      messages: [],
      // biome-ignore lint/suspicious/noThenProperty: the word of the story; it is a list, so nothing waits for it
      then: [],
    });
  },
  async explainLatestRefusal(requested) {
    const { application } = requested;
    const world = chosenWorld(requested);
    const entry = application.requestLogs.list(world.id, {}).findLast(({ status }) => status === null || status >= 400);
    if (!entry) throw new HttpError(404, "nothing");
    return why.explain({ ...requested, path: { id: entry.id } } as never);
  },
};
