// Describes how a program connects to a sandbox: the line of `start --json`, and the environment variables of `exec` and `env`.

import { setTimeout as pause } from "node:timers/promises";
import { createControl } from "../../client/create-control.ts";
import { findSubscriptionOfStart } from "../../engine/domain/index.ts";
import type { Sandbox } from "../../sandbox.ts";

type Application = Sandbox["application"];
type World = NonNullable<ReturnType<Application["worlds"]["get"]>>;

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
interface ActiveSettings {
  /** Overridden assumptions, as `id=value`. */
  flips: readonly string[];
  subscriptions: readonly { url: string; kinds: number }[];
  /** The address of the subscription that the announced secret belongs to. */
  signs?: string;
  /** The names of the armed faults. */
  faults: readonly string[];
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

/** The values of an introduction that depend on its world. */
interface WorldInfo extends Omit<Introduction, "announcement" | "version" | "instance" | "maturity"> {
  key: { client_id: string; client_secret: string } | undefined;
  webhook_secret: string | null | undefined;
  fixture: string | undefined;
  now: string | undefined;
}

/** Describes the sandbox with its world `default`, which another node may have open. */
export async function introduce(application: Application, url: string): Promise<Introduction> {
  const { version, instance, controlToken, settings } = application;
  const open = application.worlds.get("default");
  const world = open ? describeWorld(application, open) : await describeRemoteWorld(application, url);
  const { key, webhook_secret, fixture, now, ...others } = world;
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
  return { announcement, version, instance, maturity: settings.maturity, ...others };
}

function describeWorld(application: Application, world: World): WorldInfo {
  const { keys, subscriptions } = world.credentials();
  // A revoked key is skipped, because its requests would fail as if the sandbox were broken.
  const key = [...keys.all()].find(({ revoked_at }) => !revoked_at);
  const subscription = findSubscriptionOfStart(subscriptions.all(), application.settings.webhookUrl);
  const flips = application.assumptions.all(world).filter(({ value, default: byDefault }) => value !== byDefault);
  const enabled = [...subscriptions.all()].filter(({ state }) => state === "ENABLED");
  return {
    key: key && { client_id: key.id, client_secret: key.secret },
    webhook_secret: subscription?.secret,
    fixture: world.identity()?.fixture,
    now: application.now(world),
    mode: application.clock.show(world).mode,
    counts: world.counts(),
    inForce: {
      flips: flips.map(({ id, value }) => `${String(id)}=${String(value)}`),
      subscriptions: enabled.map(({ url, event_types }) => ({ url, kinds: event_types.length })),
      ...(subscription && { signs: subscription.url }),
      faults: application.faults.list(world.id).map(({ name }) => name),
    },
  };
}

/** All tries together take longer than a heartbeat is valid, because the other node may have been killed. */
const TRIES = 60;
const RETRY_MS = 250;

/** Waits for the node that has the world open, to which this node forwards requests. It may have been started at the same time. */
async function describeRemoteWorld({ controlToken }: Application, url: string): Promise<WorldInfo> {
  const control = createControl({ url, controlToken });
  const params = { path: { worldId: "default" } };
  for (let tries = 1; ; tries++) {
    const [{ data: about }, { data: keys }] = await Promise.all([
      control.GET("/_sandbox"),
      control.GET("/_sandbox/worlds/{worldId}/credentials", { params }),
    ]);
    // `start` must print its line even if no key was found in time.
    if ((about && keys) || tries >= TRIES)
      return {
        key: keys?.items[0],
        webhook_secret: keys?.webhook_secret,
        fixture: about?.fixture,
        now: about?.now,
        mode: about?.mode ?? "running",
        counts: about?.counts ?? {},
        inForce: { flips: about?.flips ?? [], subscriptions: [], faults: [] },
      };
    await pause(RETRY_MS);
  }
}
