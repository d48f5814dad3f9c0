// The options of `start` and `exec` as settings, each value checked before anything is opened: what, with which value, what to do.
import { readInstant } from "../domain/instant.ts";
import { EVENT_KINDS } from "../domain/kinds.ts";
import { nearest } from "../domain/nearest.ts";
import { whyNotTarget } from "../domain/subscription.ts";
import { type Settings, settings } from "../settings.ts";
import type { Option } from "./command.ts";
import { Misuse } from "./fault.ts";
import { type Given, shown, textOf } from "./options.ts";

export const startOptions: readonly Option[] = settings;

export function readSettings(given: Given): Settings {
  return {
    port: readPort(given.number("port")),
    host: textOf(given, "host"),
    fixture: textOf(given, "fixture"),
    data: readPlace(given),
    fresh: given.flag("fresh"),
    durability: given.text("durability") as Settings["durability"],
    clock: readClock(given.text("clock")),
    seed: readSeed(given.text("seed")),
    webhookUrl: readTarget(given.text("webhook-url")),
    webhookEvents: readKinds("--webhook-events", readWebhookEvents(given)),
    allowPublicWebhooks: given.flag("allow-public-webhooks"),
    maturity: given.text("maturity") as Settings["maturity"],
    audience: given.list("audience"),
    assume: readAssumptions(given.list("assume")),
    retry: given.text("retry") as Settings["retry"],
    rateLimit: readRate(given.text("rate-limit")),
    controlToken: readToken(given.text("control-token")),
    strictResponses: given.flag("strict-responses"),
  };
}

function readPort(port: number): number {
  if (Number.isInteger(port) && port <= 65_535) return port;
  throw new Misuse(`--port is ${port}, which is not a port. Give one from 1 to 65535, or 0 for a free one.`);
}

/** Whoever names a file wants it kept; said in the same breath as --memory, one of the two is a mistake. */
function readPlace(given: Given): string | undefined {
  const [memory, data] = [given.flag("memory") && given.source("memory"), given.source("data")];
  if (!memory) return textOf(given, "data");
  if (data === memory) {
    throw new Misuse(
      `--memory keeps nothing on disk, and --data says ${shown(textOf(given, "data"))}. Leave one of them out.`,
    );
  }
  return memory === "environment" && data === "flag" ? textOf(given, "data") : undefined;
}

export function readClock(text: string | undefined, label = "--clock"): string | undefined {
  if (text === undefined) return undefined;
  const instant = readInstant(text);
  if (instant !== undefined) return instant;
  throw new Misuse(`${label} is ${shown(text)}, which is not an instant. Write it as 2030-06-01T09:00:00Z.`);
}

export function readSeed(text: string | undefined): string | undefined {
  if (text === undefined || /^-?\d{1,30}$/.test(text)) return text;
  throw new Misuse(`--seed is ${shown(text)}, which is not a whole number. Write it as --seed 7.`);
}

function readTarget(text: string | undefined): string | undefined {
  const reason = text === undefined ? undefined : whyNotTarget(text);
  if (reason !== undefined) throw new Misuse(`--webhook-url: ${reason}`);
  return text;
}

function readWebhookEvents(given: Given): readonly string[] {
  const kinds = given.list("webhook-events");
  if (kinds.length === 0 || given.text("webhook-url") !== undefined) return kinds;
  throw new Misuse("--webhook-events says what to send, but not where. Add --webhook-url, or leave it out.");
}

export function readKinds(label: string, kinds: readonly string[]): readonly string[] {
  const unknown = kinds.find((kind) => !(EVENT_KINDS as readonly string[]).includes(kind));
  if (unknown === undefined) return kinds;
  throw new Misuse(`${label}: there is no kind ${shown(unknown)}. Did you mean ${nearest(unknown, EVENT_KINDS)}?`);
}

function readAssumptions(texts: readonly string[]): Record<string, string> {
  const read: Record<string, string> = {};
  for (const text of texts) {
    const [, id = "", value = ""] = /^([^=]+)=(.+)$/.exec(text) ?? [];
    if (id === "")
      throw new Misuse(`--assume is ${shown(text)}, which is not id=value. Write it as --assume signature-text=v1.`);
    if (read[id] !== undefined && read[id] !== value) {
      throw new Misuse(`--assume gives ${id} as ${read[id]} and as ${value}. Give it once.`);
    }
    read[id] = value;
  }
  return read;
}

function readRate(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, number] = /^([1-9]\d{0,8})\/min$/.exec(text) ?? [];
  if (number !== undefined) return Number(number);
  throw new Misuse(`--rate-limit is ${shown(text)}, which is not so many a minute. Write it as --rate-limit 60/min.`);
}

function readToken(text: string | undefined): string | undefined {
  if (text === undefined || /^[\x21-\x7e]+$/.test(text)) return text;
  throw new Misuse(
    "--control-token holds a blank, or a character that a header can't carry. Use letters, digits and signs.",
  );
}
