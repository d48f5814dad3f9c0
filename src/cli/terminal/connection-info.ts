// What a program must know to use a sandbox: the line of `start --json`, and the environment of `exec` and `env`.

import { setTimeout as pause } from "node:timers/promises";
import type { Schemas } from "../../client/control.ts";
import { createControl } from "../../client/create-control.ts";
import { findSubscriptionOfStart } from "../../engine/domain/index.ts";
import type { Sandbox } from "../../sandbox.ts";

/** Of the world default, wherever it lives. */
export function introduced(application: Sandbox["application"], url: string): Introduction | Promise<Introduction> {
  const world = application.worlds.get("default");
  return world ? introduce(application, world, url) : introduceFromAfar(application, url);
}

function introduce(
  application: Sandbox["application"],
  world: NonNullable<ReturnType<Sandbox["application"]["worlds"]["get"]>>,
  url: string,
): Introduction {
  const { keys, subscriptions } = world.credentials();
  const counts = world.counts();
  // A revoked key would look like a broken sandbox.
  const active = [...keys.all()].find(({ revoked_at }) => !revoked_at);
  const key = active && { client_id: active.id, client_secret: active.secret };
  const subscription = findSubscriptionOfStart(subscriptions.all(), application.settings.webhookUrl);
  return {
    ...describeServer(application, url, key, {
      webhook_secret: subscription?.secret,
      fixture: world.identity()?.fixture,
      now: application.now(world),
    }),
    mode: application.clock.show(world).mode,
    counts: describeKinds(counts),
    inForce: {
      flips: application.assumptions.all(world).flatMap(({ id, value, default: byDefault }) => {
        return value === byDefault ? [] : [`${String(id)}=${String(value)}`];
      }),
      subscriptions: [...subscriptions.all()]
        .filter(({ state }) => state === "ENABLED")
        .map(({ url: to, event_types }) => ({ url: to, kinds: event_types.length })),
      ...(subscription && { signs: subscription.url }),
      faults: application.faults.list(world.id).map(({ name }) => name),
    },
  };
}

type WorldFacts = Partial<Record<"webhook_secret" | "fixture" | "now", string | null | undefined>>;

/** What this process knows of itself, with what is known of the world `default`. */
function describeServer(
  { version, instance, controlToken, settings }: Sandbox["application"],
  url: string,
  key: { client_id: string; client_secret: string } | undefined,
  { webhook_secret, fixture, now }: WorldFacts,
) {
  const announcement: Announcement = {
    url,
    auth_url: url,
    token_url: `${url}/oauth2/token`,
    client_id: key?.client_id ?? "",
    client_secret: key?.client_secret ?? "",
    control_url: `${url}/_sandbox`,
    control_token: controlToken,
    webhook_secret: webhook_secret ?? null,
    world: "default",
    fixture: fixture ?? "",
    now: now ?? "",
    pid: process.pid,
  };
  return { announcement, version, instance, maturity: settings.maturity };
}

type Known = Pick<Announcement, "url" | "auth_url" | "token_url" | "client_id" | "client_secret" | "control_url"> & {
  control_token: string | undefined;
  webhook_secret: string | null;
};

/** The names are a contract with every program that `exec` runs. */
const VARIABLES = {
  SANDBOX_URL: "url",
  SANDBOX_AUTH_URL: "auth_url",
  SANDBOX_TOKEN_URL: "token_url",
  SANDBOX_CLIENT_ID: "client_id",
  SANDBOX_CLIENT_SECRET: "client_secret",
  SANDBOX_CONTROL_URL: "control_url",
  SANDBOX_CONTROL_TOKEN: "control_token",
  SANDBOX_WEBHOOK_SECRET: "webhook_secret",
} as const satisfies Record<string, keyof Known>;

export const VARIABLE_NAMES: readonly string[] = Object.keys(VARIABLES);

/** An unknown value is empty, so that no value of another sandbox stays in the environment. */
export function environmentFor(known: Known): Record<string, string> {
  return Object.fromEntries(Object.entries(VARIABLES).map(([name, member]) => [name, known[member] ?? ""]));
}

/** The members, and their order, are a contract. */
export interface Announcement {
  url: string;
  auth_url: string;
  token_url: string;
  client_id: string;
  client_secret: string;
  control_url: string;
  control_token: string;
  webhook_secret: string | null;
  world: string;
  fixture: string;
  now: string;
  pid: number;
}

/** What the banner shows beside the announcement. */
export interface Introduction {
  announcement: Announcement;
  version: string;
  instance: string;
  mode: "held" | "running";
  maturity: string;
  counts: Readonly<Record<string, number>>;
  inForce: InForce;
}

/** What makes this sandbox differ from one that was started without options. */
interface InForce {
  /** Assumptions with another value than their default, as `id=value`. */
  flips: readonly string[];
  subscriptions: readonly { url: string; kinds: number }[];
  /** The address whose messages the announced secret signs. */
  signs?: string;
  /** The operations that have a fault armed. */
  faults: readonly string[];
}

/** In the order of the banner, and with words that `count` can make plural. */
const describeKinds = (counts: Readonly<Record<string, number>>) => ({
  experience: counts.experiences ?? 0,
  event: counts.events ?? 0,
  booking: counts.bookings ?? 0,
  order: counts.orders ?? 0,
  "gift card": counts.giftCards ?? 0,
});

/** Longer than a heartbeat is valid: the other node may just have been killed. */
const TRIES = 60;
const AGAIN_MS = 250;

/** Another node has it, and may have started a moment ago. This node forwards requests to it. */
async function introduceFromAfar(application: Sandbox["application"], url: string): Promise<Introduction> {
  // The own node, which forwards to the other.
  const control = createControl({ url, controlToken: application.controlToken });
  const path = { worldId: "default" };
  for (let tries = 1; ; tries++) {
    const [about, keys] = await Promise.all([
      control.GET("/_sandbox"),
      control.GET("/_sandbox/worlds/{worldId}/credentials", { params: { path } }),
    ]);
    // At last without a key: the line of `start` must be printed.
    if ((about.data && keys.data) || tries >= TRIES) return fromAfar(application, url, about.data, keys.data);
    await pause(AGAIN_MS);
  }
}

function fromAfar(
  application: Sandbox["application"],
  url: string,
  about: Schemas["SandboxDescription"] | undefined,
  keys: Schemas["CredentialList"] | undefined,
): Introduction {
  return {
    ...describeServer(application, url, keys?.items[0], { ...about, webhook_secret: keys?.webhook_secret }),
    mode: about?.mode ?? "running",
    counts: describeKinds(about?.counts ?? {}),
    inForce: { flips: about?.flips ?? [], subscriptions: [], faults: [] },
  };
}
