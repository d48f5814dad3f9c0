// What a program must know to use a sandbox: the line of `start --json`, and the environment of `exec` and `env`.
import { subscriptionOfStart } from "../../engine/domain/index.ts";
import type { Sandbox } from "../../sandbox.ts";
import { introduceFromAfar } from "./introduce-from-afar.ts";
import { type Announcement, type Introduction, kindsOf } from "./introduction.ts";

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
  const key = [...keys.all()].find(({ revoked_at }) => !revoked_at);
  const subscription = subscriptionOfStart(subscriptions.all(), application.settings.webhookUrl);
  return {
    announcement: {
      url,
      auth_url: url,
      token_url: `${url}/oauth2/token`,
      client_id: key?.id ?? "",
      client_secret: key?.secret ?? "",
      control_url: `${url}/_sandbox`,
      control_token: application.controlToken,
      webhook_secret: subscription?.secret ?? null,
      world: world.id,
      fixture: world.identity()?.fixture ?? "",
      now: application.now(world),
      pid: process.pid,
    },
    version: application.version,
    instance: application.instance,
    mode: application.clock.show(world).mode,
    maturity: application.settings.maturity,
    counts: kindsOf(counts),
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

type Known = Pick<Announcement, "url" | "auth_url" | "token_url" | "client_id" | "client_secret" | "control_url"> & {
  control_token: string | undefined;
  webhook_secret: string | null;
};

/**
 * An unknown value is empty, so that no value of another sandbox stays in the environment. The names are a contract
 * with every program that `exec` runs.
 */
export function environmentFor(known: Known): Record<string, string> {
  return {
    SANDBOX_URL: known.url,
    SANDBOX_AUTH_URL: known.auth_url,
    SANDBOX_TOKEN_URL: known.token_url,
    SANDBOX_CLIENT_ID: known.client_id,
    SANDBOX_CLIENT_SECRET: known.client_secret,
    SANDBOX_CONTROL_URL: known.control_url,
    SANDBOX_CONTROL_TOKEN: known.control_token ?? "",
    SANDBOX_WEBHOOK_SECRET: known.webhook_secret ?? "",
  };
}
