// The operations of a running sandbox, for whoever names one: an unknown name is refused with the nearest.
import { nearest } from "../domain/nearest.ts";
import type { Client } from "./client.ts";
import { Misuse } from "./fault.ts";
import { shown } from "./options.ts";

export async function mustKnowOperation(client: Client, operation: string, label = ""): Promise<void> {
  const { items } = await client.ask<{ items: { operation_id: string }[] }>("GET", "/_sandbox/operations");
  const names = items.map(({ operation_id }) => operation_id);
  if (names.includes(operation)) return;
  const sentence = `there is no operation ${shown(operation)}. Did you mean ${nearest(operation, names)}?`;
  throw new Misuse(label === "" ? `T${sentence.slice(1)}` : `${label}${sentence}`);
}
