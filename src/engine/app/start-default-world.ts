// Starts a sandbox: creates or loads the world default, sets its clock from --clock, and creates a subscription for
// --webhook-url.
import { findSubscriptionOfStart, MADE_AT_START } from "../domain/company/subscription.ts";
import { DomainError } from "../domain/kernel/domain-error.ts";
import { type Instant, readInstant, toMillis } from "../domain/kernel/instant.ts";
import { EVENT_KINDS } from "../domain/kernel/kinds.ts";
import { SettingError, type Settings } from "../settings.ts";
import type { World } from "../world/state/world.ts";
import type { TimePort, WebhooksPort, WorldsPort } from "./application.ts";

const DAY_MS = 86_400_000;

/** Returns warnings for the user. Throws SettingError if the options contradict the saved world. */
export async function startDefaultWorld(
  application: WorldsPort & TimePort & WebhooksPort,
  settings: Settings,
): Promise<string[]> {
  const known = application.worlds.get("default");
  try {
    const warnings = known ? await resume(application, known, settings) : [];
    const world = known ?? application.states.create({ id: "default" });
    return [...warnings, ...subscribe(application, world, settings)];
  } catch (reason) {
    if (known || !(reason instanceof DomainError)) throw reason;
    throw new SettingError(`The world default can't be created. ${reason.message}`);
  }
}

async function resume(
  application: WorldsPort & TimePort,
  world: World,
  { assume, fixture, seed, database, clock: beginning = "" }: Settings,
): Promise<string[]> {
  const identity = world.identity();
  // The option also applies to a saved world.
  if (Object.keys(assume).length > 0) application.assumptions.set(world, { ...assume });
  const now = application.now(world);
  const clock = readInstant(beginning);
  // Scripts and configuration files contain the instant at which the world began, so it is accepted and the clock
  // continues.
  if (clock !== undefined && clock !== now && clock !== identity?.origin.clock) rejectClock(clock, now);
  const mode = beginning === "now" ? "running" : "held";
  // All nodes share the world in a database, so a starting node does not change its clock.
  const isOwn = beginning !== "" && database === undefined;
  if (isOwn && mode !== application.clock.show(world).mode) await application.clock.set(world, { mode });
  return [
    ...describeDifference("was made from", identity?.origin.fixture, fixture),
    ...describeDifference("has the seed", identity?.seed, seed),
    ...describeAge(now, identity?.began_at ?? now),
  ];
}

/**
 * A start does not move the clock of a saved world: all work that is due in between would run immediately, and can't be
 * undone.
 */
function rejectClock(clock: Instant, now: Instant): never {
  const where = `${clock < now ? "before" : "after"} ${now}, the clock of the saved world`;
  const move = clock < now ? "" : ` and move the clock with \`sandbox clock set ${clock}\``;
  throw new SettingError(
    `{option clock} ${clock} is ${where}. Omit {option clock}${move}, or replace the saved world with {option fresh}.`,
  );
}

function describeDifference(what: string, saved: string | undefined, wanted: string | undefined): string[] {
  if (saved === undefined || wanted === undefined || saved === wanted) return [];
  return [`The saved world ${what} ${saved}, not ${wanted}, and is used unchanged. {option fresh} replaces it.`];
}

/** Warns of an old world, because the dates of a fixture are around the beginning of its world. */
function describeAge(now: Instant, began: Instant): string[] {
  const days = Math.floor((toMillis(now) - toMillis(began)) / DAY_MS);
  if (days < 1) return [];
  const age = days === 1 ? "a day" : `${days} days`;
  return [
    `The saved world began ${age} ago on its clock, at ${began}, and its events have moved into the past. \`sandbox world reset\` or {option fresh} starts again.`,
  ];
}

function subscribe(application: WebhooksPort, world: World, { webhookUrl: url, webhookEvents }: Settings): string[] {
  if (url === undefined) return [];
  const known = findSubscriptionOfStart(world.credentials().subscriptions.all(), url);
  // An earlier start created the subscription. A second one would receive every message twice.
  if (known?.state !== "ENABLED") {
    application.subscribe(world, { url, kinds: webhookEvents ?? [], description: MADE_AT_START });
    return [];
  }
  const { id, event_types } = known;
  const kinds = event_types.length === EVENT_KINDS.length ? "every kind" : event_types.join(", ");
  const isWanted =
    webhookEvents?.length === event_types.length && webhookEvents.every((kind) => event_types.includes(kind));
  if (webhookEvents === undefined || isWanted) return [];
  return [
    `{option webhookEvents}: the saved world sends ${kinds} to this address, by the subscription ${id}, and is used unchanged. Replace the subscription, or {option fresh} replaces the world.`,
  ];
}
