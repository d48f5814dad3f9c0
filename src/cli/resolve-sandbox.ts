// Which sandbox a command talks to, and with which token, as if both had been given; and what the command has changed there.
import type { Call, Command } from "./command.ts";
import { Failure, UNREACHABLE } from "./failure.ts";
import { describeTarget, findSandbox } from "./find-sandbox.ts";
import { findLogin, readUsableLogins } from "./logins.ts";
import { type Given, replaceTexts } from "./options.ts";

/** The call with the sandbox that it talks to, where it talks to one. Throws a Failure for a recorded one that can't be used. */
export async function withSandbox(command: Command, call: Call): Promise<Call> {
  const has = (name: string) => command.options.some((option) => option.name === name);
  if (command.options.some(({ finds }) => finds)) return withFound(call);
  // A command that starts a sandbox of its own uses a login only for an address that was named.
  return has("url") && has("control-token") ? { ...call, given: withLoginToken(call) } : call;
}

/** What `sandbox login` knows for the address that is given. */
function withLoginToken({ given, environment, terminal }: Call): Given {
  const url = given.text("url");
  if (url === undefined || given.text("control-token") !== undefined) return given;
  const logins = readUsableLogins(environment);
  for (const sentence of logins.words) terminal.say(sentence);
  return replaceTexts(given, { "control-token": findLogin(logins, url)?.token });
}

/** The address that was found stands for the one that was not given, and the token that may go there for any other. */
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
      // A sandbox that was found must be used, as if it had been named; only the default address may be empty.
      source: (name) =>
        name === "url" && !found.isDefault && given.source(name) === "default" ? "environment" : given.source(name),
    },
  };
}

/** Says what a command has changed, and where: an address alone does not show whose world that is. */
export function reportTarget(command: Command, call: Call): void {
  const subject = command.changes?.(call);
  const { given, terminal } = call;
  if (subject === undefined || given.flag("json")) return;
  terminal.say(describeTarget(subject, given.text("url") ?? "", given.source("url") === "default"));
}
