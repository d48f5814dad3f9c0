// Finds the sandbox that a command uses: --url, SANDBOX_URL, SANDBOX_PORT, the nearest .sandbox/server.json, the login, or the default
// address, in this order. A recorded sandbox that can't be used is an error, because another address may belong to another project. The
// folder may be downloaded, so a recorded address must be a loopback address, and gets a token only after a proof that it knows the token.

import { randomBytes, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { isLoopbackUrl, toExcerpt } from "../engine/settings.ts";
import { isObject, parseJson } from "../platform/json.ts";
import { isSameProcess } from "../platform/process-alive.ts";
import { sendRequest } from "../platform/send-request.ts";
import { getProofKey, proveToken } from "../platform/token-proof.ts";
import { unwrapHost } from "../platform/unbracketed.ts";
import type { Call, Command } from "./command.ts";
import { Failure, Misuse, toMessage, UNREACHABLE } from "./failure.ts";
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

/** Finds the sandbox, prints notes, and adds its address and token to the options. */
export async function withFound(call: Call): Promise<Call> {
  const { given, terminal } = call;
  const { url, isDefault, notes, token } = await findSandbox(given, call.environment);
  for (const sentence of notes) terminal.say(sentence);
  return {
    ...call,
    given: {
      ...replaceTexts(given, { url, "control-token": token }),
      // A found sandbox counts as named by the user. Only at the default address may no sandbox run.
      source: (name) =>
        name === "url" && !isDefault && given.source(name) === "default" ? "environment" : given.source(name),
    },
  };
}

/** Reports what the command changed and where, because an address alone does not show whose world it is. */
export function reportTarget(command: Command, call: Call): void {
  const subject = command.changes?.(call);
  const { given, terminal } = call;
  if (subject !== undefined && !given.flag("json"))
    terminal.say(describeTarget(subject, given.text("url") ?? "", given.source("url") === "default"));
}

interface FoundSandbox {
  url: string;
  /** True if nothing names a sandbox, so this is the default address. */
  isDefault: boolean;
  /** Sentences for stderr: which sandbox was chosen, if there was a choice, and a token that is withheld. */
  notes: readonly string[];
  /** The token that may be sent to the address: the given one, or that of `sandbox login`. */
  token: string | undefined;
}

/**
 * Finds the address and the token. `folder` is where the search upwards begins, `limitMs` the time for the response of a recorded sandbox.
 * Throws a Failure if the recorded sandbox can't be used, and a Misuse for a wrong SANDBOX_PORT.
 */
export async function findSandbox(
  given: Given,
  environment: Environment,
  { folder = process.cwd(), limitMs = MAX_WAIT_MS } = {},
): Promise<FoundSandbox> {
  const { words, ...logins } = readUsableLogins(environment);
  const own = given.text("control-token");
  const isNamed = given.source("url") !== "default";
  const address = given.text("url") ?? "";
  const record = findRecord(folder);
  const recorded = record?.server?.url;
  const port = isNamed ? undefined : toPortAddress(environment.SANDBOX_PORT);
  // A port does not determine the protocol, so the recorded URL with the same port wins.
  const ofPort = port?.replace("http:", "https:") === recorded ? recorded : port;
  const named = isNamed ? address : ofPort;
  const login = record ? undefined : findLoginInUse(logins)?.url;
  const trusted = named ?? login;
  // The user chose the address, so it gets the token.
  if (trusted !== undefined) {
    const notes = named === undefined ? [...words, formatChoice(trusted, "`sandbox login`")] : words;
    return { url: trusted, isDefault: false, notes, token: own ?? findLogin(logins, trusted)?.token };
  }
  const url = recorded ?? address;
  // Any other address gets a token only after it has proved that it knows the token.
  const probe = record
    ? await identifyRecorded(record, limitMs)
    : own !== undefined && (await identifyServer(url, limitMs));
  const server = typeof probe === "object" ? probe : undefined;
  const known = await findKnown([own, record?.server?.token], server);
  const notes = [...words];
  if (server !== undefined && own !== undefined && known !== own)
    notes.push(formatWithheldToken(given.label("control-token"), url));
  // The default address needs no explanation.
  if (record && url !== address) notes.push(formatChoice(url, displayPath(record.file)));
  return { url, isDefault: !record, notes, token: known ?? findLogin(logins, url)?.token };
}

async function findKnown(tokens: readonly (string | undefined)[], server: IdentifiedServer | undefined) {
  for (const token of tokens) if (token !== undefined && (await server?.knows(token))) return token;
  return undefined;
}

const formatChoice = (url: string, source: string): string => `Using the sandbox at ${url}, from ${source}.`;

const formatWithheldToken = (label: string, url: string): string =>
  `${label} is not sent: the sandbox at ${url} has not proved that it knows this token. If it is for that sandbox, name it with --url ${url}.`;

/** Returns undefined for 0, which means any free port. Throws a Misuse for an invalid port, because another sandbox might respond. */
export function toPortAddress(port: string | undefined): string | undefined {
  // A shell unsets a variable for a single command by setting it to an empty text.
  if (port === undefined || port === "" || port === "0") return undefined;
  if (/^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535) return `http://127.0.0.1:${port}`;
  throw new Misuse(`SANDBOX_PORT is ${toExcerpt(port)}, which is not a port. Give one from 1 to 65535.`);
}

/** Checks that the recorded sandbox responds at its address. Its process may be invisible here, for example in a container. */
async function identifyRecorded({ file, server }: ServerRecord, limitMs: number): Promise<IdentifiedServer> {
  const path = displayPath(file);
  const fail = (problem: string) => new Failure(`${path} ${problem}`, UNREACHABLE);
  if (server === null)
    throw fail(
      "does not name a sandbox. Delete it, start the sandbox again with `sandbox start`, or name one with --url.",
    );
  const { url, instance, pid } = server;
  if (!isLoopbackUrl(url))
    throw fail(
      `names ${url}, which is no address of this machine's loopback, such as http://127.0.0.1:4010. Name a sandbox elsewhere with --url, or delete the file.`,
    );
  const probe = await identifyServer(url, limitMs);
  if (typeof probe === "object" && probe.instance === instance) return probe;
  const reason = explainNoServer(server, typeof probe === "object" ? "stranger" : probe, limitMs);
  throw fail(`records the sandbox at ${url} (process ${pid}), ${reason} ${START_AGAIN}`);
}

const START_AGAIN = "Start it again with `sandbox start`, delete the file, or name another sandbox with --url.";

/** Explains what happened to the recorded sandbox and what to do. The process id is used only if it is certainly the same process. */
function explainNoServer({ pid, start }: Server, outcome: NoServer, limitMs: number): string {
  if (outcome === "stranger") return "which has ended; another program has its port.";
  if (isSameProcess(pid, start))
    return `whose process runs but does not respond. Wait until it is less busy or has ended, or end process ${pid}.`;
  if (outcome === "closed") return "which has ended.";
  return `which did not respond within ${limitMs / 1000} s, and whose process does not run here.`;
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

interface IdentifiedServer {
  instance: string;
  knows(token: string): Promise<boolean>;
}

/** Why no sandbox was found at an address: nothing listens, no response within the limit, or another program responds. */
type NoServer = "closed" | "silent" | "stranger";

/** The time that a command waits for a busy sandbox. An address without a listener fails immediately. */
export const MAX_WAIT_MS = 10_000;
/** The program is unknown, and its response may be endless. */
const MAX_RESPONSE_LENGTH = 4096;

/** Sends a challenge to an address. The challenge is fresh each time, so an old proof is useless. */
async function identifyServer(address: string, limitMs = MAX_WAIT_MS): Promise<IdentifiedServer | NoServer> {
  const { origin, hostname } = new URL(address);
  const challenge = { address: origin, challenge: randomBytes(32).toString("base64url") };
  const signal = AbortSignal.timeout(limitMs);
  const found = await sendRequest(`${address}/_sandbox/proof`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(challenge),
    redirect: "manual",
    signal,
  }).then(readMembers, (error: Error) => error);
  if (signal.aborted) return "silent";
  // A parse error means that the program there does not speak HTTP.
  if (found instanceof Error && !/^Parse Error/.test((found.cause as Error | undefined)?.message ?? ""))
    return "closed";
  const { instance, proof } = found instanceof Error ? {} : found;
  if (typeof instance !== "string") return "stranger";
  // A host name may resolve to two addresses with a program each, so only an IP address proves anything.
  const isOne = isIP(unwrapHost(hostname)) !== 0;
  return {
    instance,
    async knows(token) {
      const expected = Buffer.from(proveToken(await getProofKey(token, instance), challenge, instance));
      const sent = Buffer.from(String(proof));
      // The comparison takes constant time. timingSafeEqual requires equal lengths.
      return isOne && sent.length === expected.length && timingSafeEqual(sent, expected);
    },
  };
}

/** Returns no members for a lost or unknown response. An unread body would keep its connection open, so it is read or cancelled. */
async function readMembers({ status, body }: Response): Promise<{ instance?: unknown; proof?: unknown }> {
  let text = "";
  try {
    for await (const piece of body ?? []) {
      text += Buffer.from(piece).toString("latin1");
      if (text.length > MAX_RESPONSE_LENGTH) break;
    }
  } catch {
    return {};
  }
  const members = status === 200 ? parseJson(text) : undefined;
  return isObject(members) ? members : {};
}
