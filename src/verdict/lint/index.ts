// Runs the linters on the log of a world, without running the program. A sandbox loads this module with the first
// request for it, and yields between linters so that it can serve other requests.
import { setImmediate as turn } from "node:timers/promises";
import type { Schemas } from "../../client/control.ts";
import type { LoggedTraffic } from "../../engine/app/index.ts";
import { runSliced } from "../../platform/slices.ts";
import { isLinter } from "../check.ts";
import { checks } from "../checks/index.ts";
import { type Logged, type RequestEntry, toRequestKey } from "../observed.ts";
import { toService } from "../worlds.ts";

type LintResult = Schemas["LintResult"];

const linters = checks.filter(isLinter);

/** The linters process one log at a time, because each log is loaded into memory completely. */
let last: Promise<unknown> = Promise.resolve();

/** Returns a result for each linter, in the order of the checks. */
export function lint(traffic: LoggedTraffic): Promise<LintResult[]> {
  const found = last.then(() => lintTraffic(traffic));
  last = found.catch(() => undefined);
  return found;
}

async function lintTraffic({ requests: entries, document, ...others }: LoggedTraffic): Promise<LintResult[]> {
  const requests: RequestEntry[] = [];
  await runSliced(readInto(requests, entries));
  const logged = { ...others, requests, service: toService(document) } as Logged;
  const results: LintResult[] = [];
  for (const { lint: judge, id, level, title, rule, advice } of linters) {
    await turn();
    results.push({ id, level, title, rule, advice, evidence: [], ...judge(logged) } as LintResult);
  }
  return results;
}

/** Computes the key of each request in slices, because several linters need it. */
function* readInto(requests: RequestEntry[], entries: Iterable<RequestEntry>): Generator<undefined> {
  for (const request of entries) {
    requests.push(request);
    toRequestKey(request);
    yield;
  }
}
