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
import type { ActiveSettings, Announcement, Introduction } from "./connection-info.ts";
import { fitColumns, measureWidth, type Terminal, wrap } from "./terminal.ts";

export function formatBanner(
  { introduction, resumed }: Pick<BootResult, "introduction" | "resumed">,
  settings: Settings,
  { paint, width }: Pick<Terminal, "paint" | "width">,
  tls?: Tls,
): string {
  const wrapDim = (text: string) => wrap(text, width - 2).map((line) => `  ${paint("dim", line)}`);
  const { announcement, version } = introduction;
  // The time counts from the start of the process, because that is how long the user waited.
  const after = `ready in ${Math.round(process.uptime() * 1000)} ms`;
  const rows = listRows(introduction, settings, resumed, tls).map(([label = "", value = "", remark = ""]) => {
    const painted = /^https?:/.test(value) ? paint("cyan", value) : value;
    return [`  ${paint("dim", label)}`, remark === "" ? painted : `${painted} ${paint("dim", remark)}`];
  });
  return [
    "",
    `  ${paint("bold", "experience-sandbox")} ${version}  ${paint("green", after)}`,
    "",
    ...fitColumns(rows, width),
    "",
    ...wrapDim("Get a token and list a booking:"),
    "",
    formatCurl(announcement, width, tls && displayPath(tls.file)),
    "",
    ...wrapDim("Requests, acts and webhooks are listed below, with the world's time in UTC."),
    ...wrapDim("Run `sandbox why` in another terminal to explain the latest rejection."),
    "",
    ...wrapDim(`Ctrl-C stops the sandbox. Its state is ${isStored(settings) ? "kept" : "lost"}.`),
    "",
  ].join("\n");
}

type BannerRow = readonly [label: string, value: string, aside?: string];

function listRows(introduction: Introduction, settings: Settings, resumed: boolean, tls: Tls | undefined): BannerRow[] {
  const { announcement, mode, maturity, counts, inForce } = introduction;
  const contents = Object.entries(counts).map(([one, number]) => count(number, one));
  return [
    ["API", announcement.url, isLoopback(settings.host) ? "" : `(listening on ${settings.host})`],
    ...(tls ? toCertificateRows(tls) : []),
    ["Token", announcement.token_url],
    ["Client id", announcement.client_id],
    ["Client secret", announcement.client_secret],
    ["Control", announcement.control_url],
    // The control API needs no token on loopback unless one is set.
    ...(isLoopback(settings.host) && settings.database === undefined && settings.controlToken === undefined
      ? []
      : [["Control token", announcement.control_token] as const]),
    ["Console", `${announcement.url}/_sandbox/ui`],
    ["Documents", `${announcement.url}/`, "(also /docs, /openapi.yaml)"],
    ...toSubscriptionRows(inForce.subscriptions),
    ...toSecretRows(announcement.webhook_secret, inForce),
    ["Fixture", announcement.fixture],
    ["", contents.slice(0, 3).join(", ")],
    ["", contents.slice(3).join(", ")],
    ["Clock", announcement.now, `(UTC, ${mode})`],
    ["Maturity", maturity],
    ...inForce.flips.map((flip, at): BannerRow => [at === 0 ? "Assumed" : "", flip]),
    ...(settings.rateLimit === undefined
      ? []
      : [["Rate limit", `${settings.rateLimit}/min`, "(each client)"] as const]),
    ...(settings.retry === "fast" ? [["Retries", "fast", "(waits divided by 100)"] as const] : []),
    ...(inForce.faults.length === 0 ? [] : [["Faults", inForce.faults.join(", "), "(`sandbox fault`)"] as const]),
    ["State", describeStore(settings), isStored(settings) ? (resumed ? "(resumed)" : "(new)") : ""],
  ];
}

/** The fingerprint takes two rows, so that it fits a terminal of 80 columns. */
function toCertificateRows({ fingerprint, file }: Tls): BannerRow[] {
  const half = fingerprint.length / 2;
  return [
    ["Certificate", displayPath(file)],
    ["SHA-256", fingerprint.slice(0, half)],
    ["", fingerprint.slice(half + 1)],
  ];
}

/** Each subscription has its own secret. If there are several, the row names the address. */
function toSecretRows(secret: string | null, { subscriptions, signs }: ActiveSettings): BannerRow[] {
  if (secret === null) return [];
  return [["Signing secret", secret, signs && subscriptions.length > 1 ? `(of ${signs})` : ""]];
}

function toSubscriptionRows(subscriptions: ActiveSettings["subscriptions"]): BannerRow[] {
  const rows = subscriptions.slice(0, MAX_SUBSCRIPTIONS).map(({ url, kinds }, at): BannerRow => {
    const remark = kinds === EVENT_KINDS.length ? "(every kind)" : `(${count(kinds, "kind")})`;
    return [at === 0 ? "Webhooks" : "", url, remark];
  });
  const more = subscriptions.length - rows.length;
  return more > 0 ? [...rows, ["", `and ${count(more, "more subscription")}`]] : rows;
}

const MAX_SUBSCRIPTIONS = 5;

const isStored = ({ data, database }: Settings): boolean => data !== undefined || database !== undefined;

function describeStore({ data, database }: Settings): string {
  // The complete address is not shown, because it contains the password.
  if (database !== undefined) return `PostgreSQL ${URL.canParse(database) ? new URL(database).host : ""}`.trim();
  if (data === undefined) return "in memory";
  const near = relative(process.cwd(), data);
  return near.startsWith("..") ? data : near;
}

/** Returns a shell command that gets a token and lists a booking. It is split into continued lines if it is too long. */
export function formatCurl(
  { url, token_url, client_id, client_secret }: Announcement,
  width: number,
  certificateFile?: string,
): string {
  const curl = certificateFile === undefined ? "curl -s" : `curl -s --cacert ${toCommand([certificateFile])}`;
  const form = { grant_type: "client_credentials", client_id, client_secret, audience: url };
  const fields = Object.entries(form).map(
    ([name, value]) =>
      `-d ${toCommand([`${name}=${encodeURIComponent(value).replaceAll("%3A", ":").replaceAll("%2F", "/")}`])}`,
  );
  const pieces = [
    `${curl} ${quote(`${url}/v1/bookings?limit=1`)}`,
    `-H "Authorization: Bearer $(${curl}`,
    token_url,
    ...fields,
    `| sed 's/.*"access_token": *"\\([^"]*\\)".*/\\1/')"`,
  ];
  const line = pieces.join(" ");
  return measureWidth(line) <= width ? line : pieces.join(" \\\n  ");
}
