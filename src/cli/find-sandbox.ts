// Finds the sandbox that a command uses: --url, SANDBOX_URL, SANDBOX_PORT, the nearest .sandbox/server.json, the login, or the default
// address, in this order. A recorded sandbox that can't be used is an error, because another address may belong to another project. The
// folder may be downloaded, so a recorded address must be a loopback address, and gets a token only after a proof that it knows the token.

import { isLoopbackUrl, toExcerpt } from "../engine/settings.ts";
import { isSameProcess } from "../platform/process-alive.ts";
import type { Call, Command } from "./command.ts";
import { Failure, Misuse, toMessage, UNREACHABLE } from "./failure.ts";
import { type IdentifiedServer, identifyServer, MAX_WAIT_MS, type NoServer } from "./identify-server.ts";
import { findLogin, findLoginInUse, readUsableLogins, toOrigin } from "./logins.ts";
import { type Environment, type Given, replaceTexts } from "./options.ts";
import {
  displayPath,
  findRecord,
  getServerFile,
  readServer,
  type Server,
  type ServerRecord,
  writeServer,
} from "./server-file.ts";

/** Adds the sandbox to the options of a command that uses one. Throws a Failure if the recorded sandbox can't be used. */
export async function withSandbox(command: Command, call: Call): Promise<Call> {
  const has = (name: string) => command.options.some((option) => option.name === name);
  if (command.options.some(({ finds }) => finds)) return withFound(call);
  // A command that can start its own sandbox uses a login only for a named address.
  return has("url") && has("control-token") ? { ...call, given: withLoginToken(call) } : call;
}

/** Adds the token of `sandbox login` for the given address. */
function withLoginToken({ given, environment, terminal }: Call): Given {
  const url = given.text("url");
  if (url === undefined || given.text("control-token") !== undefined) return given;
  const logins = readUsableLogins(environment);
  for (const sentence of logins.words) terminal.say(sentence);
  return replaceTexts(given, { "control-token": findLogin(logins, url)?.token });
}

/** Finds the sandbox, prints warnings and the choice, and adds its address and token to the options. */
export async function withFound(call: Call): Promise<Call> {
  const { given, terminal } = call;
  const found = await findSandbox(given, call.environment);
  if ("problem" in found) throw new Failure(found.problem, UNREACHABLE);
  for (const sentence of found.warnings) terminal.say(sentence);
  if (found.choice !== undefined) terminal.say(found.choice);
  return {
    ...call,
    given: {
      ...replaceTexts(given, { url: found.url, "control-token": found.token }),
      // A found sandbox counts as named by the user. Only at the default address may no sandbox run.
      source: (name) =>
        name === "url" && !found.isDefault && given.source(name) === "default" ? "environment" : given.source(name),
    },
  };
}

/** Reports what the command changed and where, because an address alone does not show whose world it is. */
export function reportTarget(command: Command, call: Call): void {
  const subject = command.changes?.(call);
  const { given, terminal } = call;
  if (subject === undefined || given.flag("json")) return;
  terminal.say(describeTarget(subject, given.text("url") ?? "", given.source("url") === "default"));
}

/** A sandbox is recorded for the folder but can't be used. `problem` says why, and what to do. */
interface UnusableSandbox {
  problem: string;
}

/** An address that the user named is trusted. Any other address must first prove which sandbox it is. */
interface FoundAddress {
  url: string;
  /** True if the user named the address. */
  isNamed: boolean;
  /** True if nothing names a sandbox, so this is the default address. */
  isDefault: boolean;
  /** The sentence for stderr that explains the choice; undefined if there was no choice. */
  choice?: string | undefined;
  /** The sandbox at the address, if it was identified already. */
  server?: IdentifiedServer | undefined;
  /** The control token in the file that records the sandbox. */
  recordedToken?: string | undefined;
}

interface FoundSandbox extends Pick<FoundAddress, "url" | "isDefault" | "choice"> {
  warnings: readonly string[];
  /** The token that may be sent to the address: the given one, or that of `sandbox login`. */
  token?: string | undefined;
}

interface Search {
  /** The folder where the search upwards begins. */
  folder?: string;
  /** The time limit for the response of a recorded sandbox. */
  limitMs?: number;
}

/** Finds the address and the token. Throws a Misuse for a SANDBOX_PORT that is no port. */
export async function findSandbox(
  given: Given,
  environment: Environment,
  search: Search = {},
): Promise<FoundSandbox | UnusableSandbox> {
  const logins = readUsableLogins(environment);
  const found = await findAddress(given, environment, search, findLoginInUse(logins)?.url);
  if ("problem" in found) return found;
  const { url, isNamed, isDefault, choice } = found;
  const own = given.text("control-token");
  // An address that the user did not name gets a token only after it has proved that it knows the token.
  const candidates = [own, found.recordedToken].filter((candidate) => candidate !== undefined);
  const probe =
    isNamed || candidates.length === 0 ? undefined : (found.server ?? (await identifyServer(url, search.limitMs)));
  const server = typeof probe === "object" ? probe : undefined;
  const known = isNamed ? own : await findKnown(candidates, server);
  const token = known ?? findLogin(logins, url)?.token;
  const withheld =
    server && own !== undefined && known !== own ? [formatWithheldToken(given.label("control-token"), url)] : [];
  return { url, isDefault, choice, warnings: [...logins.words, ...withheld], token };
}

async function findKnown(tokens: readonly string[], server: IdentifiedServer | undefined): Promise<string | undefined> {
  for (const token of tokens) if (await server?.knows(token)) return token;
  return undefined;
}

const formatWithheldToken = (label: string, url: string): string =>
  `${label} is not sent: the sandbox at ${url} has not proved that it knows this token. If it is for that sandbox, name it with --url ${url}.`;

async function findAddress(
  given: Given,
  environment: Environment,
  { folder = process.cwd(), limitMs = MAX_WAIT_MS }: Search,
  login: string | undefined,
): Promise<FoundAddress | UnusableSandbox> {
  const url = given.text("url") ?? "";
  const named = { isNamed: true, isDefault: false };
  if (given.source("url") !== "default") return { url, ...named };
  const record = findRecord(folder);
  const portUrl = toPortAddress(environment.SANDBOX_PORT);
  // A port does not determine the protocol, so the recorded URL with the same port wins.
  const recorded = record?.server?.url;
  if (portUrl) return { url: portUrl.replace("http:", "https:") === recorded ? recorded : portUrl, ...named };
  if (record) {
    const usable = await checkRecord(record, limitMs);
    if ("problem" in usable) return usable;
    // The default address needs no explanation.
    const choice = usable.url === url ? undefined : formatChoice(usable.url, displayPath(record.file));
    return { ...usable, isNamed: false, isDefault: false, choice };
  }
  if (login === undefined) return { url, isNamed: false, isDefault: true };
  return { url: login, ...named, choice: formatChoice(login, "`sandbox login`") };
}

const formatChoice = (url: string, source: string): string => `Using the sandbox at ${url}, from ${source}.`;

/** Returns undefined for 0, which means any free port. Throws a Misuse for an invalid port, because another sandbox might respond. */
export function toPortAddress(port: string | undefined): string | undefined {
  // A shell unsets a variable for a single command by setting it to an empty text.
  if (port === undefined || port === "" || port === "0") return undefined;
  if (/^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535) return `http://127.0.0.1:${port}`;
  throw new Misuse(`SANDBOX_PORT is ${toExcerpt(port)}, which is not a port. Give one from 1 to 65535.`);
}

/** Checks that the recorded sandbox responds at its address. Its process may be invisible here, for example in a container. */
async function checkRecord(
  { file, server }: ServerRecord,
  limitMs: number,
): Promise<{ url: string; server: IdentifiedServer; recordedToken: string | undefined } | UnusableSandbox> {
  const path = displayPath(file);
  if (server === null)
    return {
      problem: `${path} does not name a sandbox. Delete it, start the sandbox again with \`sandbox start\`, or name one with --url.`,
    };
  const { url, instance, token: recordedToken } = server;
  if (!isLoopbackUrl(url))
    return {
      problem: `${path} names ${url}, which is no address of this machine's loopback, such as http://127.0.0.1:4010. Name a sandbox elsewhere with --url, or delete the file.`,
    };
  const probe = await identifyServer(url, limitMs);
  if (typeof probe === "object" && probe.instance === instance) return { url, server: probe, recordedToken };
  const reason = explainNoServer(server, typeof probe === "object" ? "stranger" : probe, limitMs);
  return { problem: `${path} records the sandbox at ${url} (process ${server.pid}), ${reason}` };
}

const START_AGAIN = "Start it again with `sandbox start`, delete the file, or name another sandbox with --url.";

/** Explains what happened to the recorded sandbox and what to do. The process id is used only if it is certainly the same process. */
function explainNoServer({ pid, start }: Server, outcome: NoServer, limitMs: number): string {
  if (outcome === "stranger") return `which has ended; another program has its port. ${START_AGAIN}`;
  if (isSameProcess(pid, start))
    return `whose process runs but does not respond. Wait until it is less busy or has ended, or end process ${pid}. ${START_AGAIN}`;
  return outcome === "closed"
    ? `which has ended. ${START_AGAIN}`
    : `which did not respond within ${limitMs / 1000} s, and whose process does not run here. ${START_AGAIN}`;
}

/** Names the world or team, the sandbox and, if recorded, the project that a command changed. */
export function describeTarget(subject: string, url: string, isDefault: boolean): string {
  const record = findRecord(process.cwd());
  if (record?.server && record.server.url === toOrigin(url))
    return `Target: ${subject} at ${url}, project ${record.project}`;
  const origin = isDefault ? `, the default address (no sandbox is recorded for ${process.cwd()})` : "";
  return `Target: ${subject} at ${url}${origin}`;
}

/** The limit is short, because a start must not wait long for another sandbox in its folder. */
const OTHER_SANDBOX_TIMEOUT_MS = 2000;

/**
 * Records a started sandbox, so that commands in this folder find it. Returns warnings if they can't. The first sandbox of a folder keeps
 * the file until it ends.
 */
export async function recordSandbox(data: string | undefined, server: Server): Promise<string[]> {
  const file = getServerFile(data);
  const other = readServer(file);
  const advice = `Commands find this one with --url ${server.url}.`;
  if (other && (await isStillRunning(other)))
    return [`Another sandbox runs here at ${other.url}, and commands find that one. ${advice}`];
  try {
    writeServer(file, server);
    return [];
  } catch (error) {
    return [`${displayPath(file)} can't be written (${toMessage(error)}). ${advice}`];
  }
}

/** A sandbox that is too busy to respond still counts as running. */
async function isStillRunning({ url, pid, start, instance }: Server): Promise<boolean> {
  const probe = isLoopbackUrl(url) ? await identifyServer(url, OTHER_SANDBOX_TIMEOUT_MS) : "stranger";
  if (typeof probe === "object") return probe.instance === instance;
  return probe === "silent" && isSameProcess(pid, start);
}
