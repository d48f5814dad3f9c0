// A verdict that stays in a sandbox, for its console.
import { controlOf, dataOf, type Schemas, type Server } from "../client/control.ts";
import type { Verdict } from "../verdict/index.ts";

/** Says where it is. */
export async function keepIn(server: Server, verdict: Verdict): Promise<string> {
  // Of its lists the specification does not say that nobody changes them.
  const body = verdict as unknown as Schemas["Verdict"];
  const { id } = await dataOf(controlOf(server).POST("/_sandbox/verdicts", { body }));
  return `Look at it in the console: ${server.url}/_sandbox/ui/verdict/${id}`;
}
