// Serves the API descriptions with the version of the sandbox, the address that the client used, and the dates of the world in examples, so that
// copied examples work.
import { stringify } from "yaml";
import controlDocument from "../../contract/generated/control.json" with { type: "json" };
import { runSliced } from "../../platform/slices.ts";
import type { RequestsPort, TimePort, WorldsPort } from "../app/application.ts";
import { fromMillis, toMillis } from "../domain/kernel/instant.ts";
import type { World } from "../world/state/world.ts";
import { type Answer, type Exchange, readHeader } from "./exchange.ts";
import { findTokenWorld } from "./identify.ts";
import { findOverrides, patchDocument } from "./in-force.ts";
import { getWorld, resolveNamedWorld } from "./named-world.ts";

type ServedDocument = Record<string, unknown>;
type DocumentRequest = Pick<Exchange, "headers" | "mount">;

/** Finds the named world, or the world of the token, or the default one. */
export function findMeantWorld(application: WorldsPort, exchange: Exchange): World | undefined {
  const named = resolveNamedWorld(exchange);
  const world = named === undefined ? findTokenWorld(exchange, application) : getWorld(application, named);
  return world ?? application.worlds.get("default");
}

/** Creates the specification for the overrides of the request's world. */
export function createOpenapi(application: WorldsPort & RequestsPort & TimePort, exchange: Exchange): ServedDocument {
  const world = findMeantWorld(application, exchange);
  return adaptDocument(patchDocument(findOverrides(world, application)), application, exchange, world);
}

export function createControlOpenapi(
  application: WorldsPort & RequestsPort & TimePort,
  asking: DocumentRequest,
): ServedDocument {
  return adaptDocument(controlDocument, application, asking, application.worlds.get("default"));
}

/** Formats a document as YAML, in slices. The text of a frozen document is cached. */
export async function toYamlAnswer(document: ServedDocument): Promise<Answer> {
  const text = yamlTexts.get(document) ?? (await runSliced(formatYaml(document)));
  if (Object.isFrozen(document)) yamlTexts.set(document, text);
  return { status: 200, headers: { "content-type": "application/yaml; charset=utf-8" }, body: text };
}

const yamlTexts = new WeakMap<ServedDocument, string>();

/** Formats field by field, down to `deep` levels, because the complete document would block other requests too long. */
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

/** Formats YAML that is also valid YAML 1.1, whose parsers read an unquoted timestamp as a date. */
const toYaml = (value: object): string => stringify(value, { version: "1.1", lineWidth: 0 });

/** Matches a name or an IPv6 address in brackets, with or without a port. Other values could be markup. */
const HOST = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

export const isHost = (text: string): boolean => HOST.test(text);

/**
 * Returns the public address if one is set. Otherwise returns the address that the client used, which may differ from the sandbox's own, for example
 * if a port is mapped or an app mounts the sandbox.
 */
export function findAddress(application: RequestsPort, asking: DocumentRequest): string {
  const host = readHeader(asking, "host") ?? "";
  const base = application.getBaseUrl();
  if (application.settings.publicUrl !== undefined) return base;
  // A Host has no protocol, so the one of the sandbox is used.
  return isHost(host) ? `${new URL(base).protocol}//${host}${asking.mount}` : base;
}

/** The address in the source documents, and the day that their examples call today. */
const WRITTEN = { address: "http://127.0.0.1:4010", day: "2030-06-01T00:00:00.000Z" };
const DAY = 86_400_000;

/** Document → its last result, since most requests have the same address and day. It is frozen, so that its text is cached too. */
const lastDocuments = new WeakMap<ServedDocument, { when: string; made: ServedDocument }>();

function adaptDocument(
  document: ServedDocument,
  application: WorldsPort & RequestsPort & TimePort,
  asking: DocumentRequest,
  world: World | undefined,
): ServedDocument {
  const days = world ? countDays(world, application) : 0;
  const address = findAddress(application, asking);
  const when = `${days} ${address}`;
  const last = lastDocuments.get(document);
  if (last?.when === when) return last.made;
  const info = { ...(document.info as object), version: application.version };
  const text = JSON.stringify({ ...document, info, servers: [{ url: WRITTEN.address }] });
  const made = Object.freeze(JSON.parse(moveDays(text, days).replaceAll(WRITTEN.address, address)) as ServedDocument);
  lastDocuments.set(document, { when, made });
  return made;
}

function countDays(world: World, application: WorldsPort & TimePort): number {
  if (application.findQuarantine(world) !== undefined) return 0;
  return Math.floor((toMillis(application.now(world)) - toMillis(WRITTEN.day)) / DAY);
}

function moveDays(text: string, days: number): string {
  if (days === 0) return text;
  const moveDay = (day: string) => fromMillis(toMillis(`${day}T00:00:00.000Z`) + days * DAY).slice(0, 10);
  // Times of day don't change.
  return text.replace(/\b\d{4}-\d\d-\d\d(?=T\d\d:\d\d)/g, moveDay);
}
