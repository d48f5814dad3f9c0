// Which sandbox a command talks to, and with which token, as if both had been given.
import type { Call } from "./command.ts";
import { findSandbox } from "./find-sandbox.ts";
import { loginFor, usableLogins } from "./logins.ts";
import type { Given, Option } from "./options.ts";

type Around = Pick<Call, "terminal" | "environment">;

/** What `sandbox login` knows for the address that is given. */
function tokenOfLogin(given: Given, { environment, terminal }: Around): Given {
  const url = given.text("url");
  if (url === undefined || given.text("control-token") !== undefined) return given;
  const logins = usableLogins(environment);
  for (const sentence of logins.words) terminal.say(sentence);
  const token = loginFor(logins, url)?.token;
  return { ...given, text: (name) => (name === "control-token" ? token : given.text(name)) };
}

/** The options with the sandbox that the command talks to, where it talks to one. */
export async function withSandbox(given: Given, options: readonly Option[], surroundings: Around): Promise<Given> {
  const has = (name: string) => options.some((option) => option.name === name);
  if (options.some(({ finds }) => finds)) return found(given, surroundings);
  // A command that starts a sandbox of its own uses a login only for an address that was named.
  return has("url") && has("control-token") ? tokenOfLogin(given, surroundings) : given;
}

/** The address of the sandbox that was found stands for the one that was not given, and the token that may go there for any other. */
async function found(given: Given, { environment, terminal }: Around): Promise<Given> {
  const { url, words, token } = await findSandbox(given, environment);
  for (const sentence of words) terminal.say(sentence);
  const defaults: Readonly<Record<string, string | undefined>> = { url, "control-token": token };
  return { ...given, text: (name) => (name in defaults ? defaults[name] : given.text(name)) };
}
