// One entry of the log, with the messages it caused as far as they are still kept.
import type { Client } from "./client.ts";
import type { Call } from "./command.ts";
import { Misuse } from "./fault.ts";
import { entryShown } from "./terminal/entry-shown.ts";

export async function showEntry(
  client: Client,
  id: string,
  { given, terminal, ofTheList }: Pick<Call, "given" | "terminal"> & { ofTheList: readonly string[] },
): Promise<undefined> {
  const odd = ofTheList.find((name) => given.source(name) === "flag");
  if (odd !== undefined) throw new Misuse(`--${odd} is for the list; with the id of one entry, leave it out.`);
  const { ask, control } = client;
  const entry = await ask(control.GET("/_sandbox/log/{id}", { params: { path: { id } } }));
  if (given.flag("json")) return void terminal.json(entry);
  const messages = "messages" in entry ? entry.messages : [];
  const kept = await Promise.all(
    messages.slice(0, MOST_MESSAGES).map(async (messageId) => {
      const { data } = await control.GET("/_sandbox/messages/{messageId}", { params: { path: { messageId } } });
      return data ?? [];
    }),
  );
  const shown = { ...entry, ...("messages" in entry ? { messages: messages.slice(0, MOST_MESSAGES) } : {}) };
  terminal.print(entryShown(shown, kept.flat(), terminal, { full: given.flag("full") }));
  if (messages.length > MOST_MESSAGES)
    terminal.print(`  … and ${messages.length - MOST_MESSAGES} more messages; --json lists them.`);
}

/** A move of the clock can cause thousands. */
const MOST_MESSAGES = 50;
