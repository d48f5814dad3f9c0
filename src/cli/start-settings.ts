// The options of `start` and `exec` as settings, each value checked before anything is opened: what, with which value, what to do.
import { readInstant } from "../domain/kernel/instant.ts";
import { shown, whyNot, whyNotKind } from "../setting-values.ts";
import { type Settings, settings } from "../settings.ts";
import type { Option } from "./command.ts";
import { Misuse } from "./fault.ts";
import { type Given, textOf } from "./options.ts";

export const startOptions: readonly Option[] = settings;

export function readSettings(given: Given): Settings {
  return {
    port: must("--port", "port", given.number("port")),
    host: textOf(given, "host"),
    fixture: textOf(given, "fixture"),
    data: readPlace(given),
    fresh: given.flag("fresh"),
    durability: given.text("durability") as Settings["durability"],
    clock: readClock(given.text("clock")),
    seed: readSeed(given.text("seed")),
    webhookUrl: must("--webhook-url", "webhookUrl", given.text("webhook-url")),
    webhookEvents: must("--webhook-events", "webhookEvents", readWebhookEvents(given)),
    allowPublicWebhooks: given.flag("allow-public-webhooks"),
    maturity: given.text("maturity") as Settings["maturity"],
    audience: given.list("audience"),
    assume: readAssumptions(given.list("assume")),
    retry: given.text("retry") as Settings["retry"],
    rateLimit: readRate(given.text("rate-limit")),
    cors: must("--cors", "cors", given.list("cors")),
    controlToken: must("--control-token", "controlToken", given.text("control-token")),
    strictResponses: given.flag("strict-responses"),
  };
}

function must<T>(label: string, name: keyof Settings, value: T): T {
  const reason = value === undefined ? undefined : whyNot[name](value);
  if (reason === undefined) return value;
  throw new Misuse(`${label} ${reason}`);
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
  return readInstant(must(label, "clock", text) ?? "");
}

export function readSeed(text: string | undefined): string | undefined {
  return must("--seed", "seed", text);
}

function readWebhookEvents(given: Given): readonly string[] {
  const kinds = given.list("webhook-events");
  if (kinds.length === 0 || given.text("webhook-url") !== undefined) return kinds;
  throw new Misuse("--webhook-events says what to send, but not where. Add --webhook-url, or leave it out.");
}

export function readKinds(label: string, kinds: readonly string[]): readonly string[] {
  const [reason] = kinds.flatMap((kind) => whyNotKind(kind) ?? []);
  if (reason === undefined) return kinds;
  throw new Misuse(`${label}: ${reason}`);
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
