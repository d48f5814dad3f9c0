// The door of the linters: judges by the log of a world what needs no run of the program. A sandbox loads it with the first question, and
// answers others meanwhile.
import { setImmediate as turn } from "node:timers/promises";
import type { Schemas } from "../../client/control.ts";
import type { LoggedTraffic } from "../../engine/app/index.ts";
import { runSliced } from "../../platform/slices.ts";
import { isLinter } from "../check.ts";
import { checks } from "../checks/index.ts";
import { serviceOf } from "../description.ts";
import { type Logged, type RequestEntry, sameKey } from "../observed.ts";

type LintResult = Schemas["LintResult"];

const linters = checks.filter(isLinter);

/** One after the other: a log is in memory as a whole. */
let last: Promise<unknown> = Promise.resolve();

/** A result for each linter, in the order of the checks. */
export function lint(traffic: LoggedTraffic): Promise<LintResult[]> {
  const found = last.then(() => linted(traffic));
  last = found.catch(() => undefined);
  return found;
}

async function linted({ requests: entries, document, ...others }: LoggedTraffic): Promise<LintResult[]> {
  const requests: RequestEntry[] = [];
  await runSliced(readInto(requests, entries));
  const logged = { ...others, requests, service: serviceOf(document) } as Logged;
  const results: LintResult[] = [];
  for (const { lint: judge, id, level, title, rule, advice } of linters) {
    await turn();
    results.push({ id, level, title, rule, advice, evidence: [], ...judge(logged) } as LintResult);
  }
  return results;
}

/** With the key of each, which several linters ask for. */
function* readInto(requests: RequestEntry[], entries: Iterable<RequestEntry>): Generator<undefined> {
  for (const request of entries) {
    requests.push(request);
    sameKey(request);
    yield;
  }
}
