// Which sandbox a command talks to: --url, SANDBOX_URL, SANDBOX_PORT, the one that a .sandbox/server.json from here upwards names, the one
// that the user has signed in to, or the default address. Where there was a choice, stderr says which one it became.
import { controlOf } from "../client/control.ts";
import { isAlive } from "../process-alive.ts";
import { messageOf } from "./fault.ts";
import { loginFor, loginInUse, readLogins } from "./logins.ts";
import type { Environment, Given } from "./options.ts";
import { readServer, type Server, serverFileFor, serverFilesFrom, shownPath, writeServer } from "./server-file.ts";

export interface Found {
  url: string;
  /** What stderr says about the choice. */
  words: readonly string[];
  /** Of `sandbox login` for this address. */
  token?: string | undefined;
}

/** Long enough for a busy sandbox; one that is gone refuses at once. */
const ANSWER_MS = 5000;

export async function findSandbox(given: Given, environment: Environment, folder = process.cwd()): Promise<Found> {
  const logins = readLogins(environment);
  const found = await findAddress(given, environment, folder, loginInUse(logins)?.url);
  const token = loginFor(logins, found.url)?.token;
  return token === undefined ? found : { ...found, token };
}

async function findAddress(given: Given, environment: Environment, folder: string, login?: string): Promise<Found> {
  const usual = given.text("url") ?? "";
  const source = given.source("url");
  if (source === "flag") return { url: usual, words: [] };
  const named = source === "environment" ? usual : portAddress(environment.SANDBOX_PORT);
  if (named !== undefined) return { url: named, words: besideNamed(named, source, folder) };
  const words: string[] = [];
  for (const file of serverFilesFrom(folder)) {
    const server = readServer(file);
    if (server === undefined) continue;
    const reason = server === null ? "does not name a sandbox" : await whyNot(server);
    if (server === null || reason !== undefined) {
      words.push(`${shownPath(file)} ${reason}. It is passed over; delete it, or start the sandbox again.`);
      continue;
    }
    const isChosen = server.url !== usual || words.length > 0;
    return {
      url: server.url,
      words: isChosen ? [...words, `Using the sandbox at ${server.url}, from ${shownPath(file)}.`] : [],
    };
  }
  if (login !== undefined)
    return { url: login, words: [...words, `Using the sandbox at ${login}, from \`sandbox login\`.`] };
  return { url: usual, words: words.length > 0 ? [...words, `Trying ${usual}.`] : [] };
}

/** 0 is a free port: no address. */
export function portAddress(port: string | undefined): string | undefined {
  return port !== undefined && /^[1-9]\d{0,4}$/.test(port) ? `http://127.0.0.1:${port}` : undefined;
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

/** Why a file's server is not used: the process is gone, or another one has its port or its process id. */
async function whyNot({ url, pid, instance }: Server): Promise<string | undefined> {
  const gone = `names the sandbox at ${url}, which has ended`;
  if (!isAlive(pid)) return gone;
  const signal = AbortSignal.timeout(ANSWER_MS);
  const answer = await controlOf({ url })
    .GET("/_sandbox", { signal })
    .catch(() => undefined);
  if (answer === undefined) return gone;
  // Without the control token a sandbox that listens for other machines does not say who it is.
  if ([401, 403].includes(answer.response.status) || answer.data?.instance === instance) return undefined;
  return `names a sandbox at ${url} that has ended; another program has its port`;
}

/** Lets the commands of this folder find a sandbox that has started. Returns why they do not, as warnings. */
export async function findable(data: string | undefined, server: Server): Promise<string[]> {
  const file = serverFileFor(data);
  const other = readServer(file);
  const advice = `Commands find this one with --url ${server.url}.`;
  if (other && (await whyNot(other)) === undefined)
    return [`Another sandbox runs here at ${other.url}, and commands find that one. ${advice}`];
  try {
    writeServer(file, server);
    return [];
  } catch (error) {
    return [`${shownPath(file)} can't be written (${messageOf(error)}). ${advice}`];
  }
}
