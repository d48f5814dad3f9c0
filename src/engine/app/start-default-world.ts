// Starts a sandbox: creates or loads the world default, sets its clock from --clock, and creates a subscription for
// --webhook-url.
import { findSubscriptionOfStart, MADE_AT_START } from "../domain/company/subscription.ts";
import { DomainError } from "../domain/kernel/domain-error.ts";
import { type Instant, readInstant, toMillis } from "../domain/kernel/instant.ts";
import { EVENT_KINDS, type EventKind } from "../domain/kernel/kinds.ts";
import type { Identity, Subscription } from "../domain/kernel/records.ts";
import { defaults, SettingError, type Settings } from "../settings.ts";
import type { World } from "../world/state/world.ts";
import type { TimePort, WebhooksPort, WorldsPort } from "./application.ts";

const DAY_MS = 86_400_000;

/** Returns warnings for the user. Throws SettingError if the options contradict the saved world. */
export async function startDefaultWorld(
  application: WorldsPort & TimePort & WebhooksPort,
  settings: Settings,
): Promise<string[]> {
  const clock = readInstant(settings.clock ?? "");
  const known = application.worlds.get("default");
  const warnings = known ? await resume(application, known, settings, clock) : [];
  const world = known ?? createDefaultWorld(application, clock);
  return [...warnings, ...subscribe(application, world, settings)];
}

function createDefaultWorld(application: WorldsPort, clock: string | undefined): World {
  try {
    return application.states.create({ id: "default", ...(clock ? { clock } : {}) });
  } catch (reason) {
    if (reason instanceof DomainError) throw new SettingError(`The world default can't be created. ${reason.message}`);
    throw reason;
  }
}

async function resume(
  application: WorldsPort & TimePort,
  world: World,
  { assume, fixture, seed, database, clock: beginning }: Settings,
  clock: string | undefined,
): Promise<string[]> {
  const identity = world.identity();
  // The option also applies to a saved world.
  if (Object.keys(assume).length > 0) application.assumptions.set(world, { ...assume });
  const now = application.now(world);
  // Scripts and configuration files contain the instant at which the world began, so it is accepted and the clock continues.
  if (clock !== undefined && clock !== now && clock !== identity?.origin.clock)
    throw new SettingError(explainClock(clock, now));
  const mode = beginning === "now" ? "running" : "held";
  // All nodes share the world in a database, so a starting node does not change its clock.
  const isOwn = beginning !== undefined && database === undefined;
  if (isOwn && mode !== application.clock.show(world).mode) await application.clock.set(world, { mode });
  const differences = identity ? [findFixtureDifference(identity, fixture), findSeedDifference(identity, seed)] : [];
  const warnings = differences.map((text) => text && `${text}, and is used unchanged. {option fresh} replaces it.`);
  return [...warnings, identity?.began_at && describeAge(now, identity.began_at)].flatMap((text) => text || []);
}

/** Describes a saved world of another fixture. The default may mean that the option was not set. */
function findFixtureDifference({ origin: { fixture } }: Identity, wanted: string): string | undefined {
  if (fixture === wanted) return undefined;
  if (wanted === defaults.fixture) return `The saved world was made from ${fixture}, not from ${wanted}`;
  return `{option fixture} ${wanted}: the saved world was made from ${fixture}`;
}

function findSeedDifference({ seed }: Identity, wanted: string | undefined): string | undefined {
  if (wanted === undefined || seed === wanted) return undefined;
  return `{option seed} ${wanted}: the saved world has the seed ${seed}`;
}

/**
 * Explains why a start does not move the clock of a saved world: all work that is due in between would run immediately,
 * and can't be undone.
 */
function explainClock(clock: Instant, now: Instant): string {
  const otherwise = "or replace the saved world with {option fresh}.";
  return clock < now
    ? `{option clock} ${clock} is before ${now}, the clock of the saved world, and a clock can't go back. Omit {option clock}, ${otherwise}`
    : `{option clock} ${clock} is after ${now}, the clock of the saved world. Omit {option clock} and move the clock with \`sandbox clock set ${clock}\`, ${otherwise}`;
}

/** Warns of an old world, because the dates of a fixture are around the beginning of its world. */
function describeAge(now: Instant, began: Instant): string | undefined {
  const days = Math.floor((toMillis(now) - toMillis(began)) / DAY_MS);
  if (days < 1) return undefined;
  return `The saved world began ${days === 1 ? "a day" : `${days} days`} ago on its clock, at ${began}, and its events have moved into the past. \`sandbox world reset\` or {option fresh} starts again.`;
}

function subscribe(application: WebhooksPort, world: World, { webhookUrl: url, webhookEvents }: Settings): string[] {
  if (url === undefined) return [];
  const known = findSubscriptionOfStart(world.credentials().subscriptions.all(), url);
  // An earlier start created the subscription. A second one would receive every message twice.
  if (known?.state === "ENABLED") return webhookEvents ? listKindDifferences(known, webhookEvents) : [];
  application.subscribe(world, { url, kinds: webhookEvents ?? [], description: MADE_AT_START });
  return [];
}

function listKindDifferences({ id, event_types }: Subscription, wanted: readonly EventKind[]): string[] {
  const isSame = event_types.length === wanted.length && wanted.every((kind) => event_types.includes(kind));
  if (isSame) return [];
  const kinds = event_types.length === EVENT_KINDS.length ? "every kind" : event_types.join(", ");
  return [
    `{option webhookEvents}: the saved world sends ${kinds} to this address, by the subscription ${id}, and is used unchanged. Replace the subscription, or {option fresh} replaces the world.`,
  ];
}
