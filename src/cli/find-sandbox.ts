// Finds the sandbox that a command uses: --url, SANDBOX_URL, SANDBOX_PORT, the nearest .sandbox/server.json, the login, or the default
// address, in this order. A recorded sandbox that can't be used is an error, because another address may belong to another project. The
// folder may be downloaded, so a recorded address must be a loopback address, and gets a token only after a proof that it knows the token.

import { isLoopbackUrl, toExcerpt } from "../engine/settings.ts";
import { isSameProcess } from "../platform/process-alive.ts";
import { Misuse, toMessage } from "./failure.ts";
import { type IdentifiedServer, identifyServer, MAX_WAIT_MS, type NoServer } from "./identify-server.ts";
import { findLogin, findLoginInUse, readUsableLogins, toOrigin } from "./logins.ts";
import type { Environment, Given } from "./options.ts";
import {
  displayPath,
  findRecord,
  getServerFile,
  readServer,
  type Server,
  type ServerRecord,
  writeServer,
} from "./server-file.ts";

interface FoundSandbox {
  url: string;
  /** True if nothing names a sandbox, so this is the default address. */
  isDefault: boolean;
  /** The sentence for stderr that explains the choice; undefined if there was no choice. */
  choice?: string | undefined;
  warnings: readonly string[];
  /** The token that may be sent to the address: the given one, or that of `sandbox login`. */
  token?: string | undefined;
}

/** A sandbox is recorded for the folder but can't be used. `problem` says why, and what to do. */
interface UnusableSandbox {
  problem: string;
}

/** An address that the user named is trusted. Any other address must first prove which sandbox it is. */
interface FoundAddress extends Pick<FoundSandbox, "url" | "isDefault" | "choice"> {
  /** True if the user named the address. */
  isNamed: boolean;
  /** The sandbox at the address, if it was identified already. */
  server?: IdentifiedServer | undefined;
  /** The control token in the file that records the sandbox. */
  recordedToken?: string | undefined;
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
  const byDefault = given.text("url") ?? "";
  const source = given.source("url");
  // A typed --url needs no explanation.
  if (source === "flag") return { url: byDefault, isNamed: true, isDefault: false };
  const record = findRecord(folder);
  const portUrl = toPortAddress(environment.SANDBOX_PORT);
  // A port does not determine the protocol, so the recorded URL with the same port wins.
  const recorded = record?.server?.url;
  const atPort = portUrl?.replace("http:", "https:") === recorded ? recorded : portUrl;
  const named = source === "environment" ? byDefault : atPort;
  if (named !== undefined) {
    const variable = source === "environment" ? "SANDBOX_URL" : "SANDBOX_PORT";
    return { url: named, isNamed: true, isDefault: false, choice: compareWithRecord(named, variable, record) };
  }
  if (record) {
    const usable = await checkRecord(record, limitMs);
    if ("problem" in usable) return usable;
    const { url, server, recordedToken } = usable;
    // The default address needs no explanation.
    const choice = url === byDefault ? undefined : `Using the sandbox at ${url}, from ${displayPath(record.file)}.`;
    return { url, isNamed: false, isDefault: false, choice, server, recordedToken };
  }
  if (login === undefined) return { url: byDefault, isNamed: false, isDefault: true };
  return {
    url: login,
    isNamed: true,
    isDefault: false,
    choice: `Using the sandbox at ${login}, from \`sandbox login\`.`,
  };
}

/** Returns undefined for 0, which means any free port. Throws a Misuse for an invalid port, because another sandbox might respond. */
export function toPortAddress(port: string | undefined): string | undefined {
  // A shell unsets a variable for a single command by setting it to an empty text.
  if (port === undefined || port === "" || port === "0") return undefined;
  if (/^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535) return `http://127.0.0.1:${port}`;
  throw new Misuse(`SANDBOX_PORT is ${toExcerpt(port)}, which is not a port. Give one from 1 to 65535.`);
}

/** Returns a notice if a variable names another sandbox than the one that runs in this folder. */
function compareWithRecord(url: string, variable: string, record: ServerRecord | undefined): string | undefined {
  const server = record?.server;
  if (!server || server.url === toOrigin(url) || !isSameProcess(server.pid, server.start)) return undefined;
  return `Using the sandbox at ${url}, from ${variable}; another runs here at ${server.url}.`;
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
  const isRunning = isSameProcess(pid, start);
  const seconds = `${limitMs / 1000} s`;
  if (outcome === "stranger") return `which has ended; another program has its port. ${START_AGAIN}`;
  if (outcome === "closed")
    return isRunning
      ? `whose process runs but accepts no connections. Wait until process ${pid} has ended, or end it. ${START_AGAIN}`
      : `which has ended. ${START_AGAIN}`;
  return isRunning
    ? `which runs but did not respond within ${seconds}. Try again when it is less busy; if it hangs, end process ${pid} and start it again, or name another sandbox with --url.`
    : `whose process does not run here, and nothing responded there within ${seconds}. ${START_AGAIN}`;
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
