// The operations of a running sandbox, for whoever names one: an unknown name is refused with the nearest.
import { didYouMean } from "../domain/kernel/nearest.ts";
import { shown } from "../setting-values.ts";
import type { Client } from "./client.ts";
import { Misuse } from "./fault.ts";

/** `sentence`: how the refusal begins. */
export async function mustKnowOperation(client: Client, operation: string, sentence = "There is"): Promise<void> {
  const { items } = await client.ask<{ items: { operation_id: string }[] }>("GET", "/_sandbox/operations");
  const names = items.map(({ operation_id }) => operation_id);
  if (names.includes(operation)) return;
  throw new Misuse(`${sentence} no operation ${shown(operation)}.${didYouMean(operation, names)}`);
}
