// Describes a sandbox that has started, and formats what `start` prints then: addresses, credentials, settings, and a command to try.
import { setTimeout as pause } from "node:timers/promises";
import { createControl } from "../../client/create-control.ts";
import { EVENT_KINDS, findSubscriptionOfStart } from "../../engine/domain/index.ts";
import { listCredentials } from "../../engine/http/index.ts";
import type { Settings } from "../../engine/settings.ts";
import { count } from "../../platform/count.ts";
import { isLoopback } from "../../platform/loopback.ts";
import { quote, toCommand } from "../../platform/shell-quoted.ts";
import type { Sandbox } from "../../sandbox.ts";
import { displayPath } from "../server-file.ts";
import type { Tls } from "../tls.ts";
import { type Announcement, createAnnouncement } from "./connection-info.ts";
import { formatLabels, type LabelRow, type Look } from "./line.ts";

type Application = Sandbox["application"];
type World = NonNullable<ReturnType<Application["worlds"]["get"]>>;

export interface Introduction {
  announcement: Announcement;
  version: string;
  instance: string;
}

/** Describes the sandbox with its world `default`, which another node may have open. */
export async function introduce(application: Application, url: string): Promise<Introduction> {
  const { version, instance, controlToken } = application;
  const world = application.worlds.get("default");
  const found = world ? describeWorld(application, world) : await fetchRemoteWorld(application, url);
  return { announcement: createAnnouncement(url, controlToken, found), version, instance };
}

const describeWorld = (application: Application, world: World) => ({
  ...listCredentials(world, application),
  fixture: world.identity()?.fixture ?? "",
  now: application.now(world),
});

/** All tries together take longer than a heartbeat is valid, because the other node may have been killed. */
const TRIES = 60;
const RETRY_MS = 250;

/** Waits for the node that has the world open, to which this node forwards requests. It may have been started at the same time. */
async function fetchRemoteWorld({ controlToken }: Application, url: string) {
  const control = createControl({ url, controlToken });
  const params = { path: { worldId: "default" } };
  for (let tries = 1; ; tries++) {
    const [{ data: about }, { data: keys }] = await Promise.all([
      control.GET("/_sandbox"),
      control.GET("/_sandbox/worlds/{worldId}/credentials", { params }),
    ]);
    // `start` must print its line even if no key was found in time.
    if ((about && keys) || tries >= TRIES)
      return { fixture: "", now: "", items: [], webhook_secret: null, ...about, ...keys };
    await pause(RETRY_MS);
  }
}

interface Running {
  introduction: Introduction;
  application: Application;
  /** True if the data file existed before the start. */
  resumed: boolean;
}

export function formatBanner(running: Running, settings: Settings, look: Look, tls?: Tls): string {
  const { announcement, version } = running.introduction;
  const { paint } = look;
  // The time counts from the start of the process, because that is how long the user waited.
  const after = `ready in ${Math.round(process.uptime() * 1000)} ms`;
  return [
    "",
    `  ${paint("bold", "experience-sandbox")} ${version}  ${paint("green", after)}`,
    "",
    ...formatLabels(listRows(running, settings, tls), look),
    "",
    `  ${paint("dim", "Get a token and list a booking:")}`,
    "",
    formatCurl(announcement, tls && displayPath(tls.file)),
    "",
    `  ${paint("dim", "Requests, acts and webhooks are listed below, with the world's time in UTC.")}`,
    `  ${paint("dim", "Run `sandbox why` in another terminal to explain the latest rejection.")}`,
    "",
    `  ${paint("dim", `Ctrl-C stops the sandbox. Its state is ${isStored(settings) ? "kept" : "lost"}.`)}`,
    "",
  ].join("\n");
}

function listRows({ introduction, application, resumed }: Running, settings: Settings, tls?: Tls): LabelRow[] {
  const { url, token_url, client_id, client_secret, control_url, control_token } = introduction.announcement;
  const { host, database, controlToken, rateLimit, retry, maturity } = settings;
  // The control API needs no token on loopback unless one is set.
  const isTokenNeeded = !isLoopback(host) || database !== undefined || controlToken !== undefined;
  // Another node may have the world open.
  const world = application.worlds.get("default");
  return [
    ["API", isLoopback(host) ? url : `${url} (listening on ${host})`],
    ["Certificate", tls && displayPath(tls.file)],
    ["SHA-256", tls?.fingerprint],
    ["Token", token_url],
    ["Client id", client_id],
    ["Client secret", client_secret],
    ["Control", control_url],
    ["Control token", isTokenNeeded ? control_token : undefined],
    ["Console", `${url}/_sandbox/ui`],
    ["Documents", `${url}/ (also /docs, /openapi.yaml)`],
    ...(world ? listWorldRows(introduction.announcement, application, world) : []),
    ["Maturity", maturity],
    ["Rate limit", rateLimit === undefined ? undefined : `${rateLimit}/min (each client)`],
    ["Retries", retry === "fast" ? "fast (waits divided by 100)" : undefined],
    ["State", `${describeStore(settings)}${isStored(settings) ? ` (${resumed ? "resumed" : "new"})` : ""}`],
  ];
}

/** Returns the rows of the world, which may differ from that of a new sandbox. */
function listWorldRows(
  { webhook_secret, fixture, now }: Announcement,
  application: Application,
  world: World,
): LabelRow[] {
  const { assumptions, clock, settings } = application;
  const subscriptions = [...world.credentials().subscriptions.all()];
  // Each subscription has its own secret.
  const signs = findSubscriptionOfStart(subscriptions, settings.webhookUrl)?.url;
  const counts: Readonly<Record<string, number>> = world.counts();
  const contents = COUNTED.map(([name, one]) => count(counts[name] ?? 0, one)).join(", ");
  const flips = assumptions.all(world).filter(({ value, default: byDefault }) => value !== byDefault);
  return [
    ...subscriptions
      .filter(({ state }) => state === "ENABLED")
      .map(({ url, event_types: { length } }): LabelRow => {
        return ["Webhooks", `${url} (${length === EVENT_KINDS.length ? "every kind" : count(length, "kind")})`];
      }),
    ["Signing secret", webhook_secret && `${webhook_secret}${signs ? ` (of ${signs})` : ""}`],
    ["Fixture", `${fixture} (${contents})`],
    ["Clock", `${now} (UTC, ${clock.show(world).mode})`],
    ["Assumed", flips.map(({ id, value }) => `${String(id)}=${String(value)}`).join(", ")],
  ];
}

const COUNTED = [
  ["experiences", "experience"],
  ["events", "event"],
  ["bookings", "booking"],
  ["orders", "order"],
  ["giftCards", "gift card"],
] as const;

const isStored = ({ data, database }: Settings): boolean => data !== undefined || database !== undefined;

function describeStore({ data, database }: Settings): string {
  // The complete address is not shown, because it contains the password.
  if (database !== undefined) return `PostgreSQL ${URL.canParse(database) ? new URL(database).host : ""}`.trim();
  return data === undefined ? "in memory" : displayPath(data);
}

/** Returns a shell command that gets a token and lists a booking. */
export function formatCurl({ url, token_url, client_id, client_secret }: Announcement, certificate?: string): string {
  const curl = certificate === undefined ? "curl -s" : `curl -s --cacert ${toCommand([certificate])}`;
  const form = { grant_type: "client_credentials", client_id, client_secret, audience: url };
  const fields = Object.entries(form).map(
    ([name, value]) =>
      `-d ${toCommand([`${name}=${encodeURIComponent(value).replaceAll("%3A", ":").replaceAll("%2F", "/")}`])}`,
  );
  return [
    `${curl} ${quote(`${url}/v1/bookings?limit=1`)}`,
    `-H "Authorization: Bearer $(${curl}`,
    token_url,
    ...fields,
    `| sed 's/.*"access_token": *"\\([^"]*\\)".*/\\1/')"`,
  ].join(" \\\n  ");
}
