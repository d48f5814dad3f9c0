// Which sandbox a command talks to: --url, SANDBOX_URL, SANDBOX_PORT, the one that a .sandbox/server.json from here upwards names, the one
// that the user has signed in to, or the default address. Where there was a choice, stderr says which one it became. What lies in a folder
// may come from anybody: an address from there must be of this machine, and a token goes there only after a proof.

import { excerptOf, isLoopbackUrl } from "../engine/setting-values.ts";
import { isAlive } from "../platform/process-alive.ts";
import { Misuse, messageOf } from "./failure.ts";
import { loginFor, loginInUse, usableLogins } from "./logins.ts";
import type { Environment, Given } from "./options.ts";
import { type ServerAt, serverAt } from "./server-at.ts";
import { displayPath, readServer, type Server, serverFileFor, serverFilesFrom, writeServer } from "./server-file.ts";

interface Found {
  url: string;
  /** What stderr says about the choice. */
  words: readonly string[];
  /** The one that may be sent there: that which was given, or that of `sandbox login` for this address. */
  token?: string | undefined;
}

/** An address that a person named is trusted; any other is asked first who it is. */
interface FoundAddress extends Pick<Found, "url" | "words"> {
  /** Set if the user did not name the address: the sandbox that answered there, and the control token in its file. */
  unnamed?: { server: ServerAt | null | undefined; token?: string | undefined };
}

/**
 * Never rejects for a server that is gone: then the default address is tried. `folder`: where the search upwards
 * begins.
 */
export async function findSandbox(given: Given, environment: Environment, folder = process.cwd()): Promise<Found> {
  const logins = usableLogins(environment);
  const own = given.text("control-token");
  const { url, words, unnamed } = await findAddress(given, environment, folder, loginInUse(logins)?.url);
  // An address that the user did not name gets a token only after it has proved that it knows it.
  const candidates = [own, unnamed?.token].filter((token) => token !== undefined);
  const server = unnamed && candidates.length > 0 ? (unnamed.server ?? (await serverAt(url))) : undefined;
  const known = unnamed ? await findKnown(candidates, server) : own;
  const token = known ?? loginFor(logins, url)?.token;
  const withheld =
    server && own !== undefined && known !== own ? [withheldWords(given.label("control-token"), url)] : [];
  return { url, words: [...logins.words, ...words, ...withheld], ...(token === undefined ? {} : { token }) };
}

async function findKnown(tokens: readonly string[], server: ServerAt | null | undefined): Promise<string | undefined> {
  for (const token of tokens) if (await server?.knows(token)) return token;
  return undefined;
}

const withheldWords = (label: string, url: string): string =>
  `${label} is not sent: the sandbox at ${url} has not proved that it knows this token. If it is for that sandbox, name it with --url ${url}.`;

async function findAddress(
  given: Given,
  environment: Environment,
  folder: string,
  login?: string,
): Promise<FoundAddress> {
  const byDefault = given.text("url") ?? "";
  const source = given.source("url");
  // What was typed needs no words about it.
  if (source === "flag") return { url: byDefault, words: [] };
  const named = source === "environment" ? byDefault : portAddress(environment.SANDBOX_PORT);
  if (named !== undefined) return { url: named, words: besideNamed(named, source, folder) };
  const words: string[] = [];
  // The nearest that answers; one that has ended is named and passed over.
  for (const file of serverFilesFrom(folder)) {
    const found = readServer(file);
    if (found === undefined) continue;
    const server = found === null ? "does not name a sandbox" : await serverOrReason(found);
    if (found === null || typeof server === "string") {
      // It is said and not removed: the file may be another user's.
      words.push(`${displayPath(file)} ${server}. It is passed over; delete it, or start the sandbox again.`);
      continue;
    }
    // Where it is the default address anyway, no words are needed.
    const isChosen = found.url !== byDefault || words.length > 0;
    const choice = isChosen ? [`Using the sandbox at ${found.url}, from ${displayPath(file)}.`] : [];
    return { url: found.url, words: isChosen ? [...words, ...choice] : [], unnamed: { server, token: found.token } };
  }
  if (login !== undefined)
    return { url: login, words: [...words, `Using the sandbox at ${login}, from \`sandbox login\`.`] };
  const trying = words.length > 0 ? [...words, `Trying ${byDefault}.`] : [];
  return { url: byDefault, words: trying, unnamed: { server: undefined } };
}

/** 0 is a free port: no address. Throws a Misuse for what is no port: another sandbox than the one that was meant might answer. */
export function portAddress(port: string | undefined): string | undefined {
  // An empty variable is how a shell unsets one for a single command.
  if (port === undefined || port === "" || port === "0") return undefined;
  if (/^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535) return `http://127.0.0.1:${port}`;
  throw new Misuse(`SANDBOX_PORT is ${excerptOf(port)}, which is not a port. Give one from 1 to 65535.`);
}

/** An environment of another terminal is easily forgotten where a sandbox runs in this folder. */
function besideNamed(named: string, source: string, folder: string): string[] {
  const own = URL.canParse(named) ? new URL(named).origin : named;
  const other = serverFilesFrom(folder)
    .map(readServer)
    .find((server) => server && isAlive(server.pid) && server.url !== own);
  const variable = source === "environment" ? "SANDBOX_URL" : "SANDBOX_PORT";
  return other ? [`Using the sandbox at ${named}, from ${variable}; another runs here at ${other.url}.`] : [];
}

/** Who answers at the address of a file, or why it is not used: an address elsewhere, a process that is gone, another program. */
async function serverOrReason({ url, pid, instance }: Server): Promise<ServerAt | string> {
  if (!isLoopbackUrl(url))
    return `names ${url}, which is no address of this machine's loopback, such as http://127.0.0.1:4010; name one elsewhere with --url`;
  const gone = `names the sandbox at ${url}, which has ended`;
  // Cheaper than a connection, and a port is soon taken by another program.
  if (!isAlive(pid)) return gone;
  const server = await serverAt(url);
  if (server === undefined) return gone;
  return server?.instance === instance
    ? server
    : `names a sandbox at ${url} that has ended; another program has its port`;
}

/**
 * Lets the commands of this folder find a sandbox that has started. Returns why they do not, as warnings. The first
 * sandbox of a folder keeps the file until it ends.
 */
export async function findable(data: string | undefined, server: Server): Promise<string[]> {
  const file = serverFileFor(data);
  const other = readServer(file);
  const advice = `Commands find this one with --url ${server.url}.`;
  if (other && typeof (await serverOrReason(other)) !== "string")
    return [`Another sandbox runs here at ${other.url}, and commands find that one. ${advice}`];
  try {
    writeServer(file, server);
    return [];
  } catch (error) {
    return [`${displayPath(file)} can't be written (${messageOf(error)}). ${advice}`];
  }
}
