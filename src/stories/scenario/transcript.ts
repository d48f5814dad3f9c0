// Formats the requests and responses of a scenario without values that differ between runs: addresses, world and client ids, tokens,
// secrets, request ids, signatures and wall-clock times. Two runs with the same seed give identical transcripts.

import { isObject, type Json, type JsonObject } from "../../platform/json.ts";
import { optional } from "../../platform/optional.ts";
import type { Memory } from "./refs.ts";
import type { Played, Result, Target } from "./scenario.ts";

type Blot = readonly [string, string];

/** The values of these fields come from the system's random source. */
const SECRETS = ["access_token", "client_secret", "client_id", "secret", "next"];
const WALL_CLOCK = ["duration_ms", "caused_by"];
/** These headers differ by machine or time. */
const HEADERS = new Set(
  "date content-length connection keep-alive transfer-encoding host user-agent accept accept-encoding accept-language sec-fetch-mode sandbox-request-id webhook-timestamp webhook-signature".split(
    " ",
  ),
);

/** Sorts the texts by length, so that a longer text is replaced before a shorter one within it. */
export function listBlots(target: Target, memory: Memory, steps: readonly Played[]): Blot[] {
  const world = memory.get("world") as JsonObject | undefined;
  const receiver = memory.get("receiver") as JsonObject | undefined;
  const blots: Blot[] = [[target.url, "{base_url}"]];
  if (URL.canParse(target.url)) blots.push([new URL(target.url).host, "{host}"]);
  if (world) blots.push([String(world.url), "{base_url}"], [String(world.id), "{world}"]);
  if (world) blots.push([String(world.client_secret), "{client_secret}"], [String(world.client_id), "{client_id}"]);
  if (receiver) blots.push([String(receiver.url), "{receiver}"]);
  for (const { outcome } of steps) collectSecrets(outcome, blots);
  return blots.filter(([text]) => text !== "").sort(([a], [b]) => b.length - a.length);
}

function collectSecrets(value: Json, blots: Blot[]): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (SECRETS.includes(name) && typeof member === "string" && member.length > 8) {
      blots.push([member, `{${name}}`], [encodeURIComponent(member), `{${name}}`]);
    } else collectSecrets(member, blots);
  }
}

export function createTranscript(result: Result): JsonObject {
  const { file, title, passed, skipped, trouble, steps, left, blots } = result;
  const clean = (value: Json) => blotValue(value, blots);
  return {
    file,
    title,
    passed,
    ...optional({ skipped, trouble: trouble && clean(trouble) }),
    steps: steps.map(({ name, verb, about, passed: good, sent, outcome, differences, at, refusal, command }) => ({
      name,
      verb,
      about,
      passed: good,
      ...(sent === undefined ? {} : { sent: clean(sent) }),
      came: clean(verb === "call" ? outcome : omitBody(outcome)),
      ...(good
        ? {}
        : {
            differences: clean(differences.map(({ path, wanted, actual }) => ({ path, wanted, came: actual as Json }))),
          }),
      ...(at ? { at } : {}),
      // The command only exists if the sandbox continues to run.
      ...(refusal
        ? { refusal: { reason: clean([...refusal.reason]), ...optional({ command }) } }
        : optional({ command })),
    })),
    left,
  };
}

/** Omits the body, because the outcome already has its fields. */
function omitBody({ body, messages: _, ...rest }: JsonObject): JsonObject {
  return isObject(body) ? rest : { ...rest, ...(body === undefined ? {} : { body }) };
}

function blotValue(value: Json, blots: readonly Blot[]): Json {
  if (typeof value === "string") return blotText(value, blots);
  if (Array.isArray(value)) return value.map((each) => blotValue(each, blots));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]): [string, Json] => {
    if (WALL_CLOCK.includes(name)) return [name, `{${name}}`];
    if (name === "headers" && isObject(member)) return [name, blotValue(toStableHeaders(member), blots)];
    return [name, blotValue(member, blots)];
  });
  return Object.fromEntries(members);
}

function toStableHeaders(headers: JsonObject): JsonObject {
  const names = Object.keys(headers).filter((name) => !HEADERS.has(name.toLowerCase()));
  return Object.fromEntries(names.sort().map((name) => [name, headers[name] ?? null]));
}

/** The placeholders of ids, by prefix. */
const IDS = { req: "{request}", act: "{act}", clk: "{receipt}" };

function blotText(text: string, blots: readonly Blot[]): string {
  const plain = blots.reduce((cleaned, [secret, stands]) => cleaned.replaceAll(secret, stands), text);
  return plain.replace(/\b(req|act|clk)-[0-9a-f]+-\d+\b/g, (_, kind: keyof typeof IDS) => IDS[kind]);
}
