// A scenario from a stretch of a world's log: calls, acts, moves of the clock and injected faults in the order in which they happened, with
// the webhooks that they caused. What changed the world before the stretch comes first, without expectations.
import { callOf, expectationOf } from "./calls.ts";
import { catchUp, tellClock } from "./clock.ts";
import { mattersOf } from "./expectations.ts";
import { tellFaults } from "./faults.ts";
import { withGiven } from "./given.ts";
import { Inexpressible } from "./inexpressible.ts";
import { tellReceiver } from "./receiver.ts";
import { repeated } from "./repeated.ts";
import type {
  ActEntry,
  ClockEntry,
  DeliveryEntry,
  Entry,
  JsonObject,
  Recording,
  RequestEntry,
  Stretch,
} from "./stretch.ts";
import { inWords, Teller } from "./teller.ts";
import { tokenCallOf } from "./tokens.ts";
import { tellMessages } from "./webhooks.ts";

type Told = RequestEntry | ActEntry | ClockEntry;

export function storyOf(stretch: Stretch): Recording {
  const teller = new Teller(stretch);
  const { from = 0, to = Number.POSITIVE_INFINITY } = stretch;
  for (const [entry, attempts] of scenesOf(standing(stretch.entries, to))) {
    const isTold = entry.seq >= from;
    if (!isTold && !hasChanged(entry)) continue;
    tellReceiver(attempts, teller);
    if (tell(entry, teller, isTold)) tellMessages(entry.messages, teller, isTold);
  }
  const { title, beginning } = stretch;
  const { given, steps } = withGiven(repeated(teller.steps));
  const { fixture, clock, seed, assume, server } = beginning;
  const head = {
    title,
    fixture,
    clock,
    seed,
    ...(Object.keys(server).length > 0 ? { server } : {}),
    ...(Object.keys(assume).length > 0 ? { assume: { ...assume } } : {}),
    ...(Object.keys(given).length > 0 ? { given } : {}),
  };
  const leftOut = [...teller.leftOut].map(([sentence, times]) =>
    times === 1 ? sentence : `${sentence} (${times} times)`,
  );
  return { scenario: { ...head, steps }, leftOut };
}

/** Whether it is in the story: what is left out causes nothing there. */
function tell(entry: Told, teller: Teller, isTold: boolean): boolean {
  try {
    if (entry.kind === "request") tellRequest(entry, teller, isTold);
    else if (entry.kind === "act") tellAct(entry, teller, isTold);
    else tellClock(entry, teller, isTold);
    return true;
  } catch (reason) {
    if (!(reason instanceof Inexpressible)) throw reason;
    const subject = entry.kind === "request" ? `${entry.method} ${entry.path}` : entry.kind === "act" ? entry.act : "";
    teller.leaveOut(`Left out: ${subject} ${reason.message}.`);
    return false;
  }
}

/** Without what a rewind has undone. */
function standing(entries: readonly Entry[], to: number): Entry[] {
  const kept: Entry[] = [];
  for (const entry of entries) {
    if (entry.seq > to) break;
    if (entry.kind !== "world") kept.push(entry);
    const until = entry.kind === "world" && entry.change === "rewind" ? seqIn(entry.detail) : undefined;
    while (until !== undefined && (kept.at(-1)?.seq ?? 0) > until) kept.pop();
  }
  return kept;
}

const seqIn = ({ to }: JsonObject): number | undefined =>
  typeof to === "object" && to !== null && !Array.isArray(to) ? Number(to.seq) : undefined;

/** Each entry with the attempts that were made until the next one. */
function* scenesOf(entries: readonly Entry[]): Iterable<readonly [Told, DeliveryEntry[]]> {
  let scene: [Told, DeliveryEntry[]] | undefined;
  for (const entry of entries) {
    if (entry.kind === "world") continue;
    if (entry.kind === "delivery") scene?.[1].push(entry);
    else {
      if (scene) yield scene;
      scene = [entry, []];
    }
  }
  if (scene) yield scene;
}

function hasChanged(entry: Told): boolean {
  return (
    entry.kind === "clock" || (entry.facts.length > 0 && !entry.facts.every(({ fact }) => fact === "token.issued"))
  );
}

function tellRequest(entry: RequestEntry, teller: Teller, isTold: boolean): void {
  const members = entry.operation === "createToken" ? tokenCallOf(entry, teller) : callOf(entry, teller);
  if (!members) return;
  catchUp(entry.at, teller);
  tellFaults(entry, teller);
  const isRefused = entry.status === null || entry.status >= 400;
  const expect = isTold || isRefused ? { expect: expectationOf(entry, teller) } : {};
  const base = `${inWords(String(members.call))}${isRefused ? " is refused" : ""}`;
  const name = teller.add(base, { ...members, ...expect });
  if (isRefused) return;
  teller.memory.learn(entry.answer?.body ?? null, `${name}.body`);
  if (members.call === "createToken" && entry.client_id !== null) remember(entry, name, teller);
}

function remember({ client_id, answer }: RequestEntry, step: string, teller: Teller): void {
  const { scope } = (answer?.body ?? {}) as JsonObject;
  teller.tokens.push({ client_id: client_id ?? "", scope: String(scope ?? ""), step });
}

function tellAct(entry: ActEntry, teller: Teller, isTold: boolean): void {
  const { act, input, status, code, result } = entry;
  if (/\s/.test(act)) throw new Inexpressible("is no act with a name of its own");
  catchUp(entry.at, teller);
  const written = teller.memory.written(input ?? {});
  const isEmpty = typeof written !== "object" || written === null || Object.keys(written).length === 0;
  const members = { act, ...(isEmpty ? {} : { with: written }) };
  if (status === "refused") {
    teller.add(`${inWords(act)} is refused`, { ...members, expect: { code: code ?? "" } });
    return;
  }
  const matters = isTold ? mattersOf(result, teller.memory) : undefined;
  const name = teller.add(inWords(act), {
    ...members,
    ...(matters === undefined ? {} : { expect: { result: matters } }),
  });
  teller.memory.learn(result, `${name}.result`);
  for (const [index, { id }] of entry.facts.entries()) teller.memory.learn(id, `${name}.facts[${index}].id`);
}
