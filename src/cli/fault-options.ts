// The options of `sandbox fault arm` as a table: what each one puts where in the fault.
import type { Option } from "./command.ts";

export interface FaultOption {
  option: Option;
  /** Where its value goes, such as `token.expires_in`, and as what. */
  put(value: unknown): readonly [path: string, value: unknown];
  /** The whole numbers that the sandbox takes. */
  range?: readonly [least: number, most: number];
}

const DELIVERIES = [
  ...["drop", "duplicate", "reorder", "late", "altered", "wrong_secret", "stale_timestamp", "missing_header"],
  ...["unknown_kind", "unknown_members"],
];
const CONNECTIONS = ["reset", "empty", "truncate"];
const PAGES = ["short", "empty", "absent", "change"];

export const faultOptions: readonly FaultOption[] = [
  number("status", "status", [400, 599], "N", "Answer with this status, from 400 to 599."),
  text("code", "code", "C", "The code of the error; an error code of the service implies its status."),
  number("delay", "delay_ms", [0, 600_000], "MS", "Delay the response by this many milliseconds."),
  oneOf("connection", "connection", CONNECTIONS, "Break the connection: reset, empty or truncate."),
  number(
    "retry-after",
    "retry_after",
    [0, 86_400],
    "S",
    "Seconds in the header Retry-After of the answer, which needs a status or a code.",
  ),
  oneOf(
    "when",
    "when",
    ["before", "after"],
    "before: fail without executing, as without this option; after: execute, then lose the response.",
  ),
  oneOf(
    "token",
    (how) => (how === "revoke" ? ["token.revoke", true] : ["token.form", how]),
    ["revoke", "long"],
    "revoke: the token of the request ends; long: createToken issues one of 2048 characters.",
  ),
  number("expires-in", "token.expires_in", [1, 86_400], "S", "Seconds that a token lives which createToken issues."),
  text(
    "unknown-value",
    (name) => ["answer.unknown_value", allOr(name)],
    "member",
    "An unknown value at this extensible member of the answer; all for each of them.",
  ),
  flag("unknown-members", "answer.unknown_members", "An unknown member in every object of the answer."),
  list(
    "leave-out",
    (names) => ["answer.leave_out", allOr(names)],
    "a,b",
    "Optional members to leave out of the answer; all for each of them.",
  ),
  oneOf(
    "page",
    (how) => (how === "empty" || how === "absent" ? ["page.end", how] : [`page.${how}`, true]),
    PAGES,
    "short: half a page; empty or absent: the `next` of the last one; change: records come and go between pages.",
  ),
  flag("stale", "stale", "After the answer another party books all that is left."),
  flag("move", "move", "After the answer the host moves the booking."),
  oneOf("delivery", "delivery.do", DELIVERIES, `What goes wrong with a webhook message: ${DELIVERIES.join(", ")}.`),
  text("kind", "delivery.kind", "K", "Only messages of this kind, with --delivery."),
  number(
    "late",
    "delivery.late_ms",
    [1, 600_000],
    "MS",
    "Milliseconds that a message is held back, with --delivery late or reorder.",
  ),
  text("client", "client_id", "id", "Only requests of this client id."),
  list(
    "method",
    (names) => ["methods", (names as string[]).map((each) => each.toUpperCase())],
    "a,b",
    "Only requests with one of these methods.",
  ),
  number("skip", "skip", [0, 1_000_000], "N", "So many pass first."),
  {
    option: option("share", "number", "P", "The share that it affects, such as 0.3."),
    put: (value) => ["share", value],
  },
  number("seed", "seed", [0, 4_294_967_295], "N", "The seed of the share; without it, that of the world."),
  withDefault(number("times", "times", [1, 1_000_000], "N", "How many requests, or messages, it affects."), 1),
  text("name", "name", "text", "What the log calls it."),
];

type Put = string | FaultOption["put"];

function putTo(at: Put): FaultOption["put"] {
  return typeof at === "string" ? (value) => [at, value] : at;
}

/** `all` stands for each of them. */
function allOr(given: unknown): unknown {
  return [given].flat().includes("all") ? true : given;
}

/** Each has an environment name of its own, since `sandbox start` has a seed too. */
function option(name: string, kind: Option["kind"], placeholder: string | undefined, meaning: string): Option {
  return {
    ...{ name, kind, meaning, default: kind === "flag" ? false : kind === "list" ? [] : undefined },
    ...(placeholder === undefined ? {} : { placeholder }),
    environment: `SANDBOX_FAULT_${name.toUpperCase().replaceAll("-", "_")}`,
  };
}

function number(name: string, at: Put, range: readonly [number, number], placeholder: string, meaning: string) {
  return { option: option(name, "number", placeholder, meaning), put: putTo(at), range };
}

function text(name: string, at: Put, placeholder: string, meaning: string): FaultOption {
  return { option: option(name, "text", placeholder, meaning), put: putTo(at) };
}

function oneOf(name: string, at: Put, choices: readonly string[], meaning: string): FaultOption {
  return { option: { ...option(name, "text", "how", meaning), choices }, put: putTo(at) };
}

function list(name: string, at: Put, placeholder: string, meaning: string): FaultOption {
  return { option: option(name, "list", placeholder, meaning), put: putTo(at) };
}

function flag(name: string, at: string, meaning: string): FaultOption {
  return { option: option(name, "flag", undefined, meaning), put: putTo(at) };
}

function withDefault(row: FaultOption, value: number): FaultOption {
  return { ...row, option: { ...row.option, default: value } };
}
