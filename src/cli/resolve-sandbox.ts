// Adds the address and the token of the sandbox to the options of a command, and reports what the command changed.
import type { Call, Command } from "./command.ts";
import { Failure, UNREACHABLE } from "./failure.ts";
import { describeTarget, findSandbox } from "./find-sandbox.ts";
import { findLogin, readUsableLogins } from "./logins.ts";
import { type Given, replaceTexts } from "./options.ts";

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
