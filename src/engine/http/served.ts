// Serves the API descriptions with the version of the sandbox, the address that the client used, and the dates of the
// world in examples, so that copied examples work.
import { stringify } from "yaml";
import { type Assumption, annotate } from "../../contract/document/annotated.ts";
import type { Json } from "../../contract/document/document.ts";
import controlDocument from "../../contract/generated/control.json" with { type: "json" };
import stories from "../../contract/generated/stories.json" with { type: "json" };
import { isObject } from "../../platform/json.ts";
import type { RequestsPort, TimePort, WorldsPort } from "../app/application.ts";
import { fromMillis, toMillis } from "../domain/kernel/instant.ts";
import type { World } from "../world/state/world.ts";
import { getWorld, resolveNamedWorld } from "./control/handler.ts";
import { type Answer, type Exchange, readHeader } from "./exchange.ts";
import { findTokenWorld } from "./identify.ts";
import { findOverrides, patchDocument } from "./in-force.ts";

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

/** Formats a document as YAML in pieces, because the complete document would block other requests too long. */
export function toYamlAnswer(document: ServedDocument): Answer {
  const headers = { "content-type": "application/yaml; charset=utf-8" };
  return { status: 200, headers, pieces: formatYaml(document, 3) };
}

function* formatYaml(document: ServedDocument, depth: number): Generator<string> {
  for (const [name, value] of Object.entries(document)) {
    if (depth === 1 || !isObject(value) || Object.keys(value).length < 2) {
      yield toYaml({ [name]: value });
      continue;
    }
    yield toYaml({ [name]: null }).replace(/ null\n$/, "\n");
    for (const piece of formatYaml(value, depth - 1)) yield piece.replace(/^(?=.)/gm, "  ");
  }
}

/** Formats YAML that is also valid YAML 1.1, whose parsers read an unquoted timestamp as a date. */
const toYaml = (value: object): string => stringify(value, { version: "1.1", lineWidth: 0 });

/** Matches a name or an IPv6 address in brackets, with or without a port. Other values could be markup. */
const HOST = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

export const isHost = (text: string): boolean => HOST.test(text);

/**
 * Returns the public address if one is set. Otherwise returns the address that the client used, which may differ from
 * the sandbox's own, for example if a port is mapped or an app mounts the sandbox.
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

function adaptDocument(
  document: ServedDocument,
  application: WorldsPort & RequestsPort & TimePort,
  asking: DocumentRequest,
  world: World | undefined,
): ServedDocument {
  const days = world ? countDays(world, application) : 0;
  const info = { ...(document.info as object), version: application.version };
  const text = JSON.stringify({ ...document, info, servers: [{ url: WRITTEN.address }] });
  return JSON.parse(moveDays(text, days).replaceAll(WRITTEN.address, findAddress(application, asking)));
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

/** `?annotated` alone counts as yes. */
export const isAnnotated = ({ query }: Exchange): boolean =>
  query.annotated !== undefined && !["false", "0", "no"].includes(query.annotated.toString());

/** Annotates the document with the assumptions of the world of the request, which may override some. */
export function createAnnotatedOpenapi(application: WorldsPort & RequestsPort & TimePort, exchange: Exchange): Json {
  const register = readRegister(application, findMeantWorld(application, exchange));
  const named = resolveNamedWorld(exchange);
  const query = named === undefined ? "" : `?world=${encodeURIComponent(named)}`;
  const document = annotate(createOpenapi(application, exchange), register, stories, query);
  // A reader may be on another host, so links get the address of the sandbox.
  return JSON.parse(JSON.stringify(document).replaceAll("](/", `](${findAddress(application, exchange)}/`));
}

function readRegister(application: WorldsPort, world: World | undefined): Assumption[] {
  const entries = world ? application.assumptions.all(world) : [];
  return entries.map(({ id, gap, basis, default: byDefault, chosen, alternatives }) => {
    const value = world ? application.assumes(world, id) : byDefault;
    const all = [{ value: byDefault, meaning: chosen }, ...alternatives];
    const holds = all.find((each) => each.value === value)?.meaning ?? chosen;
    return { id, gap, holds, basis, value, default: byDefault, others: all.filter((each) => each.value !== value) };
  });
}
