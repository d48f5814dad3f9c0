// The sandboxes that `sandbox login` has signed in to, in the user's configuration folder: only the user can read the file, since it holds
// tokens. One of them is in use. A token goes to the address that it was given for, and to no other.
import { chmodSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "../platform/make-folder.ts";
import { Failure, toMessage } from "./failure.ts";
import type { Environment } from "./options.ts";
import { replaceFile } from "./whole-file.ts";

/** `token` is the secret; the rest is for words on the screen, and may be out of date. */
export interface Login {
  url: string;
  token: string;
  role: string;
  team: string | null;
  subject: string;
  expires_at: string | null;
}

interface Logins {
  in_use: string | null;
  logins: readonly Login[];
}

const NONE: Logins = { in_use: null, logins: [] };

/** Undefined where the environment names no folder. */
export function getLoginsFile(environment: Environment, platform = process.platform): string | undefined {
  const { XDG_CONFIG_HOME, HOME, APPDATA } = environment;
  const folder = platform === "win32" ? APPDATA : XDG_CONFIG_HOME || (HOME && join(HOME, ".config"));
  return folder ? join(folder, "experience-sandbox", "logins.json") : undefined;
}

/**
 * An absent file is an empty list. Throws a Failure for one that can't be read, since overwriting it would lose tokens.
 */
export function readLogins(environment: Environment): Logins {
  const file = getLoginsFile(environment);
  if (file === undefined) return NONE;
  try {
    const { in_use = null, logins } = JSON.parse(readFileSync(file, "utf8")) as Partial<Logins>;
    // Only what is used is checked: a newer version may have written more.
    const isWhole =
      Array.isArray(logins) && logins.every(({ url, token }) => typeof url === "string" && typeof token === "string");
    if (isWhole) return { in_use, logins };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return NONE;
    if (code === "EACCES" || code === "EPERM")
      throw new UnreadableLogins(`${file} can't be read: ${toMessage(error)}.`);
    if (code !== undefined) throw new Failure(`${file} can't be read: ${toMessage(error)}.`);
  }
  throw new Failure(`${file} is not what \`sandbox login\` writes. Delete it, and sign in again.`);
}

class UnreadableLogins extends Failure {}

/** For a command that can do without: sudo and containers leave the HOME of another user. `words` say that it is passed over. */
export function readUsableLogins(environment: Environment): Logins & { words: readonly string[] } {
  try {
    return { ...readLogins(environment), words: [] };
  } catch (error) {
    if (error instanceof UnreadableLogins) return { ...NONE, words: [`${error.message} No login is used.`] };
    throw error;
  }
}

/** Returns the file. Throws a Failure if it can't be written. */
export function writeLogins(environment: Environment, logins: Logins): string {
  const file = getLoginsFile(environment);
  if (file === undefined)
    throw new Failure(
      "There is no folder to keep the token in: neither XDG_CONFIG_HOME nor HOME is set. Set SANDBOX_URL and SANDBOX_CONTROL_TOKEN instead.",
    );
  try {
    makeFolder(dirname(file), 0o700);
    // A folder that was there already may be open to others.
    chmodSync(dirname(file), 0o700);
    replaceFile(file, `${JSON.stringify(logins, null, 2)}\n`, { mode: 0o600 });
    return file;
  } catch (error) {
    throw new Failure(`${file} can't be written: ${toMessage(error)}.`);
  }
}

/** The same for one sandbox, however its address is written. */
export const toOrigin = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);

export const findLogin = ({ logins }: Logins, url: string): Login | undefined =>
  logins.find((login) => login.url === toOrigin(url));

export const findLoginInUse = (logins: Logins): Login | undefined =>
  logins.in_use === null ? undefined : findLogin(logins, logins.in_use);

/** The new one is in use. */
export const addLogin = ({ logins }: Logins, login: Login): Logins => ({
  in_use: login.url,
  logins: [...logins.filter(({ url }) => url !== login.url), login],
});

/** None is in use when it was that one. */
export const removeLogin = ({ in_use, logins }: Logins, url: string): Logins => ({
  in_use: in_use === url ? null : in_use,
  logins: logins.filter((login) => login.url !== url),
});
