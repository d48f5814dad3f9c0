// Describes how a program connects to a sandbox: the line of `start --json`, and the environment variables of `exec` and `env`.

import { setTimeout as pause } from "node:timers/promises";
import type { Schemas } from "../../client/control.ts";
import { createControl } from "../../client/create-control.ts";
import { findSubscriptionOfStart } from "../../engine/domain/index.ts";
import type { Sandbox } from "../../sandbox.ts";

/** Describes the sandbox with its world `default`, which another node may have open. */
export function introduce(application: Sandbox["application"], url: string): Introduction | Promise<Introduction> {
  const world = application.worlds.get("default");
  return world ? introduceLocal(application, world, url) : introduceRemote(application, url);
}

function introduceLocal(
  application: Sandbox["application"],
  world: NonNullable<ReturnType<Sandbox["application"]["worlds"]["get"]>>,
  url: string,
): Introduction {
  const { keys, subscriptions } = world.credentials();
  const counts = world.counts();
  // A revoked key is skipped, because its requests would fail as if the sandbox were broken.
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
    counts: toBannerCounts(counts),
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

type WorldInfo = Partial<Record<"webhook_secret" | "fixture" | "now", string | null | undefined>>;

function describeServer(
  { version, instance, controlToken, settings }: Sandbox["application"],
  url: string,
  key: { client_id: string; client_secret: string } | undefined,
  { webhook_secret, fixture, now }: WorldInfo,
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
} as const satisfies Record<string, keyof Announcement>;

type ConnectionInfo = Readonly<Record<(typeof VARIABLES)[keyof typeof VARIABLES], string | null | undefined>>;

/** Unknown values become empty, so that the variables of another sandbox don't remain in the environment. */
export function toEnvironment(known: ConnectionInfo): Record<string, string> {
  return Object.fromEntries(Object.entries(VARIABLES).map(([name, member]) => [name, known[member] ?? ""]));
}

/** The line of `start --json`. Its fields and their order are a contract. */
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

export interface Introduction {
  announcement: Announcement;
  version: string;
  instance: string;
  mode: "held" | "running";
  maturity: string;
  counts: Readonly<Record<string, number>>;
  inForce: ActiveSettings;
}

/** The ways in which this sandbox differs from one that was started without options. */
export interface ActiveSettings {
  /** Overridden assumptions, as `id=value`. */
  flips: readonly string[];
  subscriptions: readonly { url: string; kinds: number }[];
  /** The address of the subscription that the announced secret belongs to. */
  signs?: string;
  /** The names of the armed faults. */
  faults: readonly string[];
}

/** Returns the counts that the banner shows, in its order, by a noun that `count` can make plural. */
const toBannerCounts = (counts: Readonly<Record<string, number>>) => ({
  experience: counts.experiences ?? 0,
  event: counts.events ?? 0,
  booking: counts.bookings ?? 0,
  order: counts.orders ?? 0,
  "gift card": counts.giftCards ?? 0,
});

/** All tries together take longer than a heartbeat is valid, because the other node may have been killed. */
const TRIES = 60;
const RETRY_MS = 250;

/** Waits for the node that has the world open. It may have been started at the same time. */
async function introduceRemote(application: Sandbox["application"], url: string): Promise<Introduction> {
  // This node forwards requests about the world to the other node.
  const control = createControl({ url, controlToken: application.controlToken });
  const path = { worldId: "default" };
  for (let tries = 1; ; tries++) {
    const [about, keys] = await Promise.all([
      control.GET("/_sandbox"),
      control.GET("/_sandbox/worlds/{worldId}/credentials", { params: { path } }),
    ]);
    // `start` must print its line even if no key was found in time.
    if ((about.data && keys.data) || tries >= TRIES) return toIntroduction(application, url, about.data, keys.data);
    await pause(RETRY_MS);
  }
}

function toIntroduction(
  application: Sandbox["application"],
  url: string,
  about: Schemas["SandboxDescription"] | undefined,
  keys: Schemas["CredentialList"] | undefined,
): Introduction {
  return {
    ...describeServer(application, url, keys?.items[0], { ...about, webhook_secret: keys?.webhook_secret }),
    mode: about?.mode ?? "running",
    counts: toBannerCounts(about?.counts ?? {}),
    inForce: { flips: about?.flips ?? [], subscriptions: [], faults: [] },
  };
}
