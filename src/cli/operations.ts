// The operations of a running sandbox: an unknown name is rejected with the nearest known one.

import type { Client } from "./client.ts";
import { mustFind, publicOperations } from "./public-operations.ts";

/** `sentence`: how the refusal begins. */
export async function mustKnowOperation(client: Client, operation: string, sentence?: string): Promise<void> {
  const { items } = await client.ask(client.control.GET("/_sandbox/operations"));
  // The names of the running sandbox, not of this version: they may differ.
  if (items.some(({ operation_id }) => operation_id === operation)) return;
  // That list leaves out what answers with a document of the transport.
  mustFind(await publicOperations(client), operation, sentence);
}
