// Why the request of a failed step was refused, as the sandbox explains it, and the command that tells more.

import { reasonLines } from "../../client/why-lines.ts";
import { typed } from "../../platform/shell-quoted.ts";
import { received } from "./client.ts";
import { isObject } from "./match.ts";
import type { JsonObject, Refusal } from "./scenario.ts";
import type { Stage } from "./steps/verb.ts";

/** Undefined where it was not refused. */
export async function refusalOf({ control }: Stage, id: string, came: JsonObject): Promise<Refusal | undefined> {
  if (typeof came.status === "number" && came.status < 400) return undefined;
  const { status, body } = await received(control.GET("/_sandbox/why/{id}", { params: { path: { id } } }));
  if (status !== 200 || !isObject(body) || !body.refusal) return undefined;
  return { id, reason: reasonLines(body.refusal) };
}

/** `world` is there no more once a story has passed, or in a sandbox that was made for it. */
export const whyCommand = (id: string, world: string, url: string): string =>
  typed(["sandbox", "why", id, "--world", world, "--url", url]);
