// Checks assumptions in the head of a scenario or in a step: the ids must be known, and the values allowed.
import { isObject } from "../match.ts";
import type { Known } from "../operations.ts";
import type { MemberPath } from "../schema.ts";
import { suggest } from "../unknown.ts";
import type { Say } from "./say.ts";

export function checkAssumptions(assume: unknown, path: MemberPath, { assumptions }: Known, say: Say): void {
  for (const [id, value] of Object.entries(isObject(assume) ? assume : {})) {
    const answers = assumptions.get(id);
    if (!answers) say([...path, id], suggest("assumption", id, assumptions.keys()));
    else if (!answers.includes(String(value))) say([...path, id], suggest(`answer to ${id}`, String(value), answers));
  }
}
