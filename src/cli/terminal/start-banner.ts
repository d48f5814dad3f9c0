// Formats what `start` prints when the sandbox is ready: addresses, credentials, settings, and a command to try.
import { relative } from "node:path";
import { EVENT_KINDS } from "../../engine/domain/index.ts";
import type { Settings } from "../../engine/settings.ts";
import { count } from "../../platform/count.ts";
import { isLoopback } from "../../platform/loopback.ts";
import { quote, toCommand } from "../../platform/shell-quoted.ts";
import type { BootResult } from "../boot.ts";
import { displayPath } from "../server-file.ts";
import type { Tls } from "../tls.ts";
import type { Announcement } from "./connection-info.ts";
import { formatLabels, type LabelRow } from "./document-lines.ts";
import type { Look } from "./line.ts";

type Running = Pick<BootResult, "introduction" | "resumed">;

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

function listRows({ introduction, resumed }: Running, settings: Settings, tls: Tls | undefined): LabelRow[] {
  const { announcement, mode, maturity, counts, inForce } = introduction;
  const { url, webhook_secret: secret, fixture } = announcement;
  const { host, database, controlToken, rateLimit, retry } = settings;
  const contents = COUNTED.map(([name, one]) => count(counts[name] ?? 0, one)).join(", ");
  // The control API needs no token on loopback unless one is set.
  const isTokenNeeded = !isLoopback(host) || database !== undefined || controlToken !== undefined;
  return [
    ["API", isLoopback(host) ? url : `${url} (listening on ${host})`],
    ["Certificate", tls && displayPath(tls.file)],
    ["SHA-256", tls?.fingerprint],
    ["Token", announcement.token_url],
    ["Client id", announcement.client_id],
    ["Client secret", announcement.client_secret],
    ["Control", announcement.control_url],
    ["Control token", isTokenNeeded ? announcement.control_token : undefined],
    ["Console", `${url}/_sandbox/ui`],
    ["Documents", `${url}/ (also /docs, /openapi.yaml)`],
    ...inForce.subscriptions.map(({ url: to, kinds }): LabelRow => {
      return ["Webhooks", `${to} (${kinds === EVENT_KINDS.length ? "every kind" : count(kinds, "kind")})`];
    }),
    // Each subscription has its own secret.
    ["Signing secret", secret === null ? undefined : `${secret}${inForce.signs ? ` (of ${inForce.signs})` : ""}`],
    ["Fixture", `${fixture} (${contents})`],
    ["Clock", `${announcement.now} (UTC, ${mode})`],
    ["Maturity", maturity],
    ["Assumed", inForce.flips.join(", ")],
    ["Rate limit", rateLimit === undefined ? undefined : `${rateLimit}/min (each client)`],
    ["Retries", retry === "fast" ? "fast (waits divided by 100)" : undefined],
    ["Faults", inForce.faults.join(", ")],
    ["State", `${describeStore(settings)}${isStored(settings) ? ` (${resumed ? "resumed" : "new"})` : ""}`],
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
  if (data === undefined) return "in memory";
  const near = relative(process.cwd(), data);
  return near.startsWith("..") ? data : near;
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
