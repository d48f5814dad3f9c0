// sandbox login and logout: selects the shared sandbox that other commands use, and stores its token.
import { readFileSync } from "node:fs";
import type { Schemas } from "../../client/control.ts";
import { isLoopback } from "../../platform/loopback.ts";
import { createClient, readUrl } from "../client.ts";
import { type Call, type Command, clientOptions, jsonOption, option } from "../command.ts";
import { Failure, Misuse } from "../failure.ts";
import { withFound } from "../find-sandbox.ts";
import { addLogin, findLogin, findLoginInUse, readLogins, removeLogin, toOrigin, writeLogins } from "../logins.ts";
import { replaceTexts } from "../options.ts";
import { askSecret } from "../terminal/secret-prompt.ts";

type Caller = Schemas["Caller"];

export const login: Command = {
  name: "login",
  summary: "Sign in to a shared sandbox that commands then use.",
  arguments: [
    ["[address]", "Its address, such as https://sandbox.example.com; default: show who you are signed in as."],
  ],
  options: [
    option.text("token", "-", "Read the token from stdin; default: prompt for it without echo.", {
      environment: "SANDBOX_CONTROL_TOKEN",
    }),
    // The command names the address itself, so it does not search for a sandbox.
    ...clientOptions.filter(({ name }) => name !== "world").map((each) => ({ ...each, finds: false })),
  ],
  epilogue: [
    "An owner of your team creates a token with `sandbox token create`. The command checks",
    "it and stores it in experience-sandbox/logins.json in your configuration folder",
    "(XDG_CONFIG_HOME or ~/.config; %APPDATA% on Windows). Only you can read the file. For",
    "an address that you have signed in to before, the stored token is used.",
  ].join("\n"),
  run: (call) => (call.args.length > 0 ? signIn(call) : printCaller(call)),
};

async function signIn({ args: [address = ""], given, terminal, environment }: Call): Promise<undefined> {
  const url = toOrigin(readUrl("The address", address));
  const logins = readLogins(environment);
  const sent = readGivenToken(given);
  // A stored token is used again if it is still valid.
  const stored = sent === undefined ? findLogin(logins, url)?.token : undefined;
  const known =
    stored === undefined ? undefined : await fetchCaller(url, stored).catch((reason) => warn(reason, terminal));
  const token = sent ?? (known && stored) ?? (await askToken(url, terminal));
  // A token is only stored after the sandbox has accepted it.
  const caller = known ?? (await fetchCaller(url, token));
  const file = writeLogins(environment, addLogin(logins, { url, token }));
  // Plain HTTP is only a warning, because many test networks have no TLS. A loopback address does not leave this machine.
  if (url.startsWith("http:") && !isLoopback(new URL(url).hostname))
    terminal.say("Warning: the address begins with http://, so the token is sent unencrypted.");
  if (given.flag("json")) terminal.json({ url, ...caller });
  else terminal.print(`Signed in to ${url} as ${describeCaller(caller)}. Commands now use this sandbox.`);
  terminal.say(`The token is in ${file}.`);
}

/** Reports a stored token that is no longer valid. If the sandbox is unreachable, the token may still be valid. */
function warn(reason: unknown, terminal: Call["terminal"]): undefined {
  if (!(reason instanceof Failure) || reason.code !== "UNAUTHORIZED") throw reason;
  terminal.say(`The stored token was rejected: ${reason.message}`);
}

function readGivenToken(given: Call["given"]): string | undefined {
  const token = given.text("token");
  if (token === "-") return mustBeToken(readFileSync(0, "utf8").trim());
  if (token === undefined || given.source("token") !== "flag") return token;
  throw new Misuse(
    "--token only accepts -, which reads the token from stdin. Other programs can read the command line.",
  );
}

async function askToken(url: string, { writeStderr }: Call["terminal"]): Promise<string> {
  const typed = await askSecret(`Token for ${url}: `, writeStderr);
  if (typed === undefined) throw new Failure("Not signed in.");
  return mustBeToken(typed.trim());
}

// Mail programs insert spaces when they wrap a token.
function mustBeToken(text: string): string {
  if (text !== "" && !/\s/.test(text)) return text;
  const problem = text === "" ? "is empty" : "contains spaces";
  throw new Misuse(`The token ${problem}. Give the complete token (sbx_…), and nothing else.`);
}

/** Fetches who the token belongs to. Throws a Failure if the sandbox rejects it. */
async function fetchCaller(url: string, token: string): Promise<Caller> {
  const texts: Readonly<Record<string, string>> = { url, world: "default", "control-token": token };
  // The last argument is empty because errors would otherwise advise to run this command.
  const { ask, control } = createClient({ text: (name) => texts[name] }, undefined, "");
  return ask(control.GET("/_sandbox/me"));
}

function describeCaller({ role, team, subject, expires_at }: Caller): string {
  if (team === null) return "the operator";
  return `${subject}, ${role} in the team ${team}${expires_at === null ? "" : `, until ${expires_at}`}`;
}

async function printCaller(call: Call): Promise<undefined> {
  const { given, terminal } = await withFound(call);
  const { ask, control, url } = createClient(replaceTexts(given, { world: "default" }));
  const caller = await ask(control.GET("/_sandbox/me"));
  if (given.flag("json")) return void terminal.json({ url, ...caller });
  terminal.print(`${describeCaller(caller)}, at ${url}`);
  terminal.print(`Default world: ${caller.default_world}`);
}

export const logout: Command = {
  name: "logout",
  summary: "Forget the token of a shared sandbox.",
  arguments: [["[address]", "Its address; default: the one in use."]],
  options: [jsonOption],
  epilogue: "The token stays valid: an owner revokes it with `sandbox token revoke`.",
  async run({ args: [address], given, terminal, environment }) {
    const known = readLogins(environment);
    const found = address === undefined ? findLoginInUse(known) : findLogin(known, readUrl("The address", address));
    if (!found) {
      const all = known.logins.map(({ url }) => url).join(", ");
      const missing = address ? `You are not signed in to ${address}` : "No sandbox is in use";
      throw new Failure(`${missing}. ${all ? `Signed in to: ${all}` : "Sign in with `sandbox login <address>`"}.`);
    }
    writeLogins(environment, removeLogin(known, found.url));
    if (given.flag("json")) terminal.json({ url: found.url, removed: true });
    else terminal.print(`Forgot the token of ${found.url}.`);
    return 0;
  },
};
