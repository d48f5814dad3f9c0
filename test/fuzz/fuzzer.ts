// Asks an API what its own document allows, and what it forbids, with ids that it has handed out before; and judges every answer by the
// document alone: its status is listed, its body fits, what fits is accepted, what does not fit is refused.
import fc from "fast-check";
import type { Description, Json, Operation, Parameter } from "./document.ts";
import { isObject, mutations, valuesOf } from "./values.ts";

export interface Surface {
  url: string;
  description: Description;
  headers: Record<string, string>;
}

export interface Question {
  operation: Operation;
  target: string;
  headers: Record<string, string>;
  body?: Json;
  /** Whether all of it fits the document. */
  sound: boolean;
}

export interface Finding {
  what: "no answer" | "5xx" | "undocumented status" | "unfit body" | "refused though sound" | "accepted though unsound";
  operation: string;
  detail: string;
  request: string;
}

/** The ids that were seen, by the segment of the path behind which they stand. */
export type Seen = Map<string, Set<string>>;

const MOST_SEEN = 300;
/** It would be waited for. */
const WAITING = "wait_for";
const LANGUAGES = ["en", "da", "de;q=0.5, en", "*"];

export function makeFuzzer({ url, description, headers }: Surface) {
  const seen: Seen = new Map();
  const known = new Map<object, fc.Arbitrary<Json>>();
  const oneOf = (schema: Parameter["schema"], seed: number): Json => {
    const values = known.get(schema) ?? valuesOf(schema, description);
    known.set(schema, values);
    return fc.sample(values, { seed, numRuns: 1 })[0] as Json;
  };

  function request(operation: Operation, seed: number): Question {
    const pick = chooser(seed);
    let [path, sound] = [operation.path, true];
    const [query, own] = [new URLSearchParams(), {} as Record<string, string>];
    for (const parameter of operation.parameters) {
      if (parameter.name === WAITING || (!parameter.required && pick(2) === 0)) continue;
      const spoilt = parameter.in !== "path" && pick(6) === 0;
      const value = spoilt ? pick.of(["", "x", "-1", "0", "99999", "2030-13-01", "é"]) : sent(parameter, pick, seed);
      if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, encodeURIComponent(value || "x"));
      else if (value !== "" && parameter.in === "query") query.set(parameter.name, value);
      else if (parameter.in === "header") own[parameter.name.toLowerCase()] = fitForHeader(value);
      if (value !== "" && parameter.in !== "header") sound &&= fitsText(parameter, value);
      if (parameter.in === "query" && value === "" && parameter.required) sound = false;
    }
    const target = `${path}${query.size > 0 ? `?${query}` : ""}`;
    if (!operation.body || (!operation.body.required && pick(3) === 0))
      return { operation, target, headers: own, sound };
    const fitting = withIds(oneOf(operation.body.schema, seed), pick);
    const body = pick(2) === 0 ? (fc.sample(mutations(fitting), { seed, numRuns: 1 })[0] as Json) : fitting;
    return { operation, target, headers: own, body, sound: sound && description.fits(operation.body.schema, body) };
  }

  function sent({ name, schema }: Parameter, pick: Chooser, seed: number): string {
    if (name === "accept-language" || name === "Accept-Language") return pick.of(LANGUAGES);
    const ids = idsFor(name.replace(/_?id$/i, ""));
    if (ids.length > 0 && pick(5) > 0) return pick.of(ids);
    const value = oneOf(schema, seed);
    return Array.isArray(value) ? value.join(",") : String(value);
  }

  function fitsText({ schema }: Parameter, text: string): boolean {
    const { type } = description.resolve(schema);
    if (type === "integer") return /^-?\d+$/.test(text) && description.fits(schema, Number(text));
    if (type === "boolean") return /^(true|false)$/.test(text);
    return description.fits(schema, type === "array" ? text.split(",") : text);
  }

  /** gift_card → what stands behind /gift-cards/. */
  function idsFor(noun: string): string[] {
    const dashed = noun.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll("_", "-");
    const names =
      dashed === "type" ? ["ticket-variants"] : [...seen.keys()].filter((name) => name.endsWith(`${dashed}s`));
    return names.flatMap((name) => [...(seen.get(name) ?? [])]);
  }

  /** Ids that exist, where ids are wanted. */
  function withIds(value: Json, pick: Chooser): Json {
    if (Array.isArray(value)) return value.map((each) => withIds(each, pick));
    if (!isObject(value)) return value;
    const members = Object.entries(value).map(([name, member]): [string, Json] => {
      const ids = name.endsWith("_id") ? idsFor(name.replace(/_id$/, "")) : [];
      return [name, ids.length > 0 && pick(10) > 0 ? pick.of(ids) : withIds(member, pick)];
    });
    return Object.fromEntries(members);
  }

  function remember({ operation }: Question, body: unknown): void {
    const segment =
      operation.path
        .split("/")
        .filter((each) => each !== "" && !each.startsWith("{"))
        .at(-1) ?? "";
    const items = isObject(body) && Array.isArray(body.items) ? body.items : [body];
    const known = seen.get(segment) ?? new Set();
    for (const item of items)
      if (isObject(item) && typeof item.id === "string" && known.size < MOST_SEEN) known.add(item.id);
    if (known.size > 0) seen.set(segment, known);
    if (isObject(body) && typeof body.next === "string") seen.set("cursors", new Set([body.next]));
  }

  async function ask(requested: Question): Promise<{ status: number; body: unknown }> {
    const { operation, target, body } = requested;
    const form = operation.body?.type !== "application/json";
    const text =
      form && isObject(body) ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body);
    const type: Record<string, string> = body === undefined ? {} : { "content-type": operation.body?.type ?? "" };
    const options = { method: operation.method, headers: { ...headers, ...requested.headers, ...type } };
    const answer = await fetch(`${url}${target}`, body === undefined ? options : { ...options, body: text });
    const words = await answer.text();
    const isJson = /json/.test(answer.headers.get("content-type") ?? "");
    return { status: answer.status, body: isJson ? JSON.parse(words) : undefined };
  }

  return { request, ask, remember };
}

const fitForHeader = (text: string): string => text.replace(/[^\x21-\x7e]/g, "") || "x";

type Chooser = ((below: number) => number) & { of<T>(list: readonly T[]): T };

/** The same choices under the same seed. */
function chooser(seed: number): Chooser {
  let state = (seed * 2654435761 + 12345) % 2147483647;
  const pick = (below: number) => {
    state = (state * 48271) % 2147483647;
    return Math.abs(state) % below;
  };
  return Object.assign(pick, { of: <T>(list: readonly T[]): T => list[pick(list.length)] as T });
}
