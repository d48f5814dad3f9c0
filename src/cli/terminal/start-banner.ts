// What `start` prints for a person when it is ready: addresses, credentials, and one line to try them with.
import { relative } from "node:path";
import { EVENT_KINDS } from "../../engine/domain/index.ts";
import type { Settings } from "../../engine/settings.ts";
import { count } from "../../platform/count.ts";
import { isLoopback } from "../../platform/loopback.ts";
import { quote, toCommand } from "../../platform/shell-quoted.ts";
import type { BootResult } from "../boot.ts";
import { displayPath } from "../server-file.ts";
import type { Tls } from "../tls.ts";
import type { Announcement, Introduction } from "./connection-info.ts";
import { columnsWithin, type Terminal, widthOf, wrap } from "./terminal.ts";

export function greeting(
  { introduction, resumed }: Pick<BootResult, "introduction" | "resumed">,
  settings: Settings,
  { paint, width }: Pick<Terminal, "paint" | "width">,
  tls?: Tls,
): string {
  const lines = (text: string) => wrap(text, width - 2).map((line) => `  ${paint("dim", line)}`);
  const { announcement, version } = introduction;
  // From the start of the process, which is what the person waited for.
  const after = `ready in ${Math.round(process.uptime() * 1000)} ms`;
  const rows = listRows(introduction, settings, resumed, tls).map(([label = "", value = "", remark = ""]) => {
    const painted = /^https?:/.test(value) ? paint("cyan", value) : value;
    return [`  ${paint("dim", label)}`, remark === "" ? painted : `${painted} ${paint("dim", remark)}`];
  });
  return [
    "",
    `  ${paint("bold", "experience-sandbox")} ${version}  ${paint("green", after)}`,
    "",
    ...columnsWithin(rows, width),
    "",
    ...lines("Get a token and list a booking:"),
    "",
    curlLine(announcement, width, tls && displayPath(tls.file)),
    "",
    ...lines("Each request, act and webhook is a line below, with the world's time in UTC."),
    ...lines("`sandbox why` explains the latest refusal, in another terminal."),
    "",
    ...lines(isStored(settings) ? "Ctrl-C stops; the state is kept." : "Ctrl-C stops; nothing is kept."),
    "",
  ].join("\n");
}

type BannerRow = readonly [label: string, value: string, aside?: string];

function listRows(introduction: Introduction, settings: Settings, resumed: boolean, tls: Tls | undefined): BannerRow[] {
  const { announcement, mode, maturity, counts, inForce } = introduction;
  const held = Object.entries(counts).map(([one, number]) => count(number, one));
  return [
    ["API", announcement.url, isLoopback(settings.host) ? "" : `(listening on ${settings.host})`],
    ...(tls ? certificateRows(tls) : []),
    ["Token", announcement.token_url],
    ["Client id", announcement.client_id],
    ["Client secret", announcement.client_secret],
    ["Control", announcement.control_url],
    // On loopback the control API needs no token unless one was set.
    ...(isLoopback(settings.host) && settings.database === undefined && settings.controlToken === undefined
      ? []
      : [["Control token", announcement.control_token] as const]),
    ["Console", `${announcement.url}/_sandbox/ui`],
    ["Documents", `${announcement.url}/`, "(also /docs, /openapi.yaml)"],
    ...subscriptionRows(inForce.subscriptions),
    ...secretRows(announcement.webhook_secret, inForce),
    ["Fixture", announcement.fixture],
    ["", held.slice(0, 3).join(", ")],
    ["", held.slice(3).join(", ")],
    ["Clock", announcement.now, `(UTC, ${mode})`],
    ["Maturity", maturity],
    ...inForce.flips.map((flip, at): BannerRow => [at === 0 ? "Assumed" : "", flip]),
    ...(settings.rateLimit === undefined
      ? []
      : [["Rate limit", `${settings.rateLimit}/min`, "(each client)"] as const]),
    ...(settings.retry === "fast" ? [["Retries", "fast", "(waits divided by 100)"] as const] : []),
    ...(inForce.faults.length === 0 ? [] : [["Faults", inForce.faults.join(", "), "(`sandbox fault`)"] as const]),
    ["State", storeOf(settings), isStored(settings) ? (resumed ? "(resumed)" : "(new)") : ""],
  ];
}

/** The fingerprint in two rows, as a terminal of 80 columns has room for. */
function certificateRows({ fingerprint, file }: Tls): BannerRow[] {
  const half = fingerprint.length / 2;
  return [
    ["Certificate", displayPath(file)],
    ["SHA-256", fingerprint.slice(0, half)],
    ["", fingerprint.slice(half + 1)],
  ];
}

/** Each subscription has a secret of its own, so of several the address is named. */
function secretRows(secret: string | null, { subscriptions, signs }: Introduction["inForce"]): BannerRow[] {
  if (secret === null) return [];
  return [["Signing secret", secret, signs && subscriptions.length > 1 ? `(of ${signs})` : ""]];
}

/** One row each; of many, the first ones. */
function subscriptionRows(subscriptions: Introduction["inForce"]["subscriptions"]): BannerRow[] {
  const rows = subscriptions.slice(0, MOST_SUBSCRIPTIONS).map(({ url, kinds }, at): BannerRow => {
    const remark = kinds === EVENT_KINDS.length ? "(every kind)" : `(${count(kinds, "kind")})`;
    return [at === 0 ? "Webhooks" : "", url, remark];
  });
  const more = subscriptions.length - rows.length;
  return more > 0 ? [...rows, ["", `and ${count(more, "more subscription")}`]] : rows;
}

const MOST_SUBSCRIPTIONS = 5;

const isStored = ({ data, database }: Settings): boolean => data !== undefined || database !== undefined;

function storeOf({ data, database }: Settings): string {
  // Its password is for nobody who looks on.
  if (database !== undefined) return `PostgreSQL ${URL.canParse(database) ? new URL(database).host : ""}`.trim();
  if (data === undefined) return "in memory";
  const near = relative(process.cwd(), data);
  return near.startsWith("..") ? data : near;
}

/** What a shell takes as it is: a token, and with it the first booking. In one line, or in several that go on where the screen is narrower. */
export function curlLine(
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
  return widthOf(line) <= width ? line : pieces.join(" \\\n  ");
}
