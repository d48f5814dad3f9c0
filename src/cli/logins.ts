// Stores the logins of `sandbox login` in the user's configuration folder. The file holds tokens, so only the user can read it. One login
// is in use. A token is sent only to the address that it was created for.
import { chmodSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "../platform/make-folder.ts";
import { Failure, toMessage } from "./failure.ts";
import type { Environment } from "./options.ts";
import { replaceFile } from "./whole-file.ts";

interface Login {
  url: string;
  token: string;
}

interface Logins {
  in_use: string | null;
  logins: readonly Login[];
}

const NO_LOGINS: Logins = { in_use: null, logins: [] };

/** Returns undefined if the environment names no configuration folder. */
export function getLoginsFile(environment: Environment, platform = process.platform): string | undefined {
  const { XDG_CONFIG_HOME, HOME, APPDATA } = environment;
  const folder = platform === "win32" ? APPDATA : XDG_CONFIG_HOME || (HOME && join(HOME, ".config"));
  return folder ? join(folder, "experience-sandbox", "logins.json") : undefined;
}

/** A missing file is an empty list. Throws a Failure for an unreadable file, because overwriting it would lose tokens. */
export function readLogins(environment: Environment): Logins {
  const file = getLoginsFile(environment);
  if (file === undefined) return NO_LOGINS;
  try {
    const { in_use = null, logins } = JSON.parse(readFileSync(file, "utf8")) as Partial<Logins>;
    // Unused fields are not checked, because a newer release may write others.
    const isWhole =
      Array.isArray(logins) && logins.every(({ url, token }) => typeof url === "string" && typeof token === "string");
    if (isWhole) return { in_use, logins };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return NO_LOGINS;
    if (code !== undefined) throw new UnreadableLogins(`${file} can't be read: ${toMessage(error)}.`);
  }
  throw new Failure(`${file} is not what \`sandbox login\` writes. Delete it, and sign in again.`);
}

class UnreadableLogins extends Failure {}

/** Reads the logins for a command that works without them. sudo and containers may use the HOME of another user; `words` is a warning then. */
export function readUsableLogins(environment: Environment): Logins & { words: readonly string[] } {
  try {
    return { ...readLogins(environment), words: [] };
  } catch (error) {
    if (error instanceof UnreadableLogins) return { ...NO_LOGINS, words: [`${error.message} No login is used.`] };
    throw error;
  }
}

/** Returns the path of the file. Throws a Failure if it can't be written. */
export function writeLogins(environment: Environment, logins: Logins): string {
  const file = getLoginsFile(environment);
  if (file === undefined)
    throw new Failure(
      "There is no folder to keep the token in: neither XDG_CONFIG_HOME nor HOME is set. Set SANDBOX_URL and SANDBOX_CONTROL_TOKEN instead.",
    );
  try {
    makeFolder(dirname(file), 0o700);
    // An existing folder may be readable for other users.
    chmodSync(dirname(file), 0o700);
    replaceFile(file, `${JSON.stringify(logins, null, 2)}\n`, 0o600);
    return file;
  } catch (error) {
    throw new Failure(`${file} can't be written: ${toMessage(error)}.`);
  }
}

/** Returns the origin, which is the same for every spelling of an address. */
export const toOrigin = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);

export const findLogin = ({ logins }: Logins, url: string): Login | undefined =>
  logins.find((login) => login.url === toOrigin(url));

export const findLoginInUse = (logins: Logins): Login | undefined =>
  logins.in_use === null ? undefined : findLogin(logins, logins.in_use);

/** Adds a login and makes it the one in use. */
export const addLogin = ({ logins }: Logins, login: Login): Logins => ({
  in_use: login.url,
  logins: [...logins.filter(({ url }) => url !== login.url), login],
});

/** Removes a login. If it was in use, none is in use afterwards. */
export const removeLogin = ({ in_use, logins }: Logins, url: string): Logins => ({
  in_use: in_use === url ? null : in_use,
  logins: logins.filter((login) => login.url !== url),
});
