// One request of the log, with the messages it caused as far as they are still kept.
import type { Client } from "./client.ts";
import type { Call } from "./command.ts";
import { Misuse } from "./fault.ts";
import { requestShown } from "./terminal/request-shown.ts";

/** These choose from the list. */
const OF_THE_LIST = ["follow", "filter-status", "filter-operation", "limit"];

export async function showRequest(
  client: Client,
  requestId: string,
  { given, terminal }: Pick<Call, "given" | "terminal">,
): Promise<undefined> {
  const odd = OF_THE_LIST.find((name) => given.source(name) === "flag");
  if (odd !== undefined) throw new Misuse(`--${odd} is for the list; with the id of one request, leave it out.`);
  const { ask, control } = client;
  const logged = await ask(control.GET("/_sandbox/requests/{requestId}", { params: { path: { requestId } } }));
  if (given.flag("json")) return void terminal.json(logged);
  const kept = await Promise.all(
    logged.messages.map(async (messageId) => {
      const { data } = await control.GET("/_sandbox/messages/{messageId}", { params: { path: { messageId } } });
      return data ?? [];
    }),
  );
  terminal.print(requestShown(logged, kept.flat(), terminal, { full: given.flag("full") }));
}
