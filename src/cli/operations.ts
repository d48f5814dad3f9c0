// The operations of a running sandbox: an unknown name is rejected with the nearest known one.

import { excerptOf } from "../engine/setting-values.ts";
import { didYouMean } from "../platform/nearest.ts";
import type { Client } from "./client.ts";
import { Misuse } from "./failure.ts";

/** `sentence`: how the refusal begins. */
export async function mustKnowOperation(client: Client, operation: string, sentence = "There is"): Promise<void> {
  const { items } = await client.ask(client.control.GET("/_sandbox/operations"));
  // The names of the running sandbox, not of this version: they may differ.
  const names = items.map(({ operation_id }) => operation_id);
  if (names.includes(operation)) return;
  throw new Misuse(
    `${sentence} no operation ${excerptOf(operation)}.${didYouMean(operation, names)} \`sandbox call --list\` names all.`,
  );
}
