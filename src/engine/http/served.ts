// The documents as this sandbox serves them: with its version, the address that the client used, and the dates of the world in
// the examples, so that what is copied from them works here and now.
import { stringify } from "yaml";
import controlDocument from "../../contract/generated/control.json" with { type: "json" };
import { runSliced } from "../../platform/slices.ts";
import type { RequestsPort, TimePort, WorldsPort } from "../app/application.ts";
import { fromMillis, toMillis } from "../domain/kernel/instant.ts";
import type { World } from "../world/state/world.ts";
import { type Answer, type Exchange, header } from "./exchange.ts";
import { findTokenWorld } from "./identify.ts";
import { documentInForce, findOverrides } from "./in-force.ts";
import { getWorld, resolveNamedWorld } from "./named-world.ts";

type ServedDocument = Record<string, unknown>;
type DocumentRequest = Pick<Exchange, "headers" | "mount">;

/** The world that is named, or that the token is of, or the default one. */
export function findMeantWorld(application: WorldsPort, exchange: Exchange): World | undefined {
  const named = resolveNamedWorld(exchange);
  const world = named === undefined ? findTokenWorld(exchange, application) : getWorld(application, named);
  return world ?? application.worlds.get("default");
}

/** The specification as it binds that world. */
export function createOpenapi(application: WorldsPort & RequestsPort & TimePort, exchange: Exchange): ServedDocument {
  const world = findMeantWorld(application, exchange);
  return adaptDocument(documentInForce(findOverrides(world, application)), application, exchange, world);
}

export function createControlOpenapi(
  application: WorldsPort & RequestsPort & TimePort,
  asking: DocumentRequest,
): ServedDocument {
  return adaptDocument(controlDocument, application, asking, application.worlds.get("default"));
}

/** In slices; a document that is frozen is written once. */
export async function toYamlAnswer(document: ServedDocument): Promise<Answer> {
  const text = yamlTexts.get(document) ?? (await runSliced(formatYaml(document)));
  if (Object.isFrozen(document)) yamlTexts.set(document, text);
  return { status: 200, headers: { "content-type": "application/yaml; charset=utf-8" }, body: text };
}

const yamlTexts = new WeakMap<ServedDocument, string>();

/** Member by member, down to `deep` levels: the whole document takes longer than others should wait. */
function* formatYaml(document: ServedDocument, deep = 3): Generator<void, string> {
  let text = "";
  for (const [name, value] of Object.entries(document)) {
    const isCut = deep > 1 && typeof value === "object" && value !== null && Object.keys(value).length > 1;
    if (isCut && !Array.isArray(value)) {
      const members = yield* formatYaml(value as ServedDocument, deep - 1);
      text += `${toYaml({ [name]: null }).slice(0, -" null\n".length)}\n${members.replace(/^(?=.)/gm, "  ")}`;
    } else text += toYaml({ [name]: value });
    yield;
  }
  return text;
}

/** YAML 1.1 too: its parsers would read an unquoted timestamp as a date. */
const toYaml = (value: object): string => stringify(value, { version: "1.1", lineWidth: 0 });

/** A name or an IPv6 address in brackets, with or without a port; anything else could be markup. */
const HOST = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

export const isHost = (text: string): boolean => HOST.test(text);

/**
 * The public address where one is set. Otherwise the address that the client used, which is not ours where a port is mapped, a name is given, or
 * an app mounts the sandbox.
 */
export function findAddress(application: RequestsPort, asking: DocumentRequest): string {
  const host = header(asking, "host") ?? "";
  const base = application.getBaseUrl();
  if (application.settings.publicUrl !== undefined) return base;
  // The protocol is ours: a Host has none.
  return isHost(host) ? `${new URL(base).protocol}//${host}${asking.mount}` : base;
}

/** The address that the documents are written with, and the day that their examples call today. */
const WRITTEN = { address: "http://127.0.0.1:4010", day: "2030-06-01T00:00:00.000Z" };
const DAY = 86_400_000;

/** As each document was served last: most ask by the same address on the same day. Frozen, so that its text is kept too. */
const servedLast = new WeakMap<ServedDocument, { when: string; made: ServedDocument }>();

function adaptDocument(
  document: ServedDocument,
  application: WorldsPort & RequestsPort & TimePort,
  asking: DocumentRequest,
  world: World | undefined,
): ServedDocument {
  const days = world ? countDays(world, application) : 0;
  const address = findAddress(application, asking);
  const when = `${days} ${address}`;
  const last = servedLast.get(document);
  if (last?.when === when) return last.made;
  const info = { ...(document.info as object), version: application.version };
  const text = JSON.stringify({ ...document, info, servers: [{ url: WRITTEN.address }] });
  const made = Object.freeze(JSON.parse(moveDays(text, days).replaceAll(WRITTEN.address, address)) as ServedDocument);
  servedLast.set(document, { when, made });
  return made;
}

function countDays(world: World, application: WorldsPort & TimePort): number {
  if (application.findQuarantine(world) !== undefined) return 0;
  return Math.floor((toMillis(application.now(world)) - toMillis(WRITTEN.day)) / DAY);
}

function moveDays(text: string, days: number): string {
  if (days === 0) return text;
  const later = (day: string) => fromMillis(toMillis(`${day}T00:00:00.000Z`) + days * DAY).slice(0, 10);
  // Days only: times of day stay as they are written.
  return text.replace(/\b\d{4}-\d\d-\d\d(?=T\d\d:\d\d)/g, later);
}
