// sandbox login and logout: which shared sandbox the commands talk to, and as whom.
import { readFileSync } from "node:fs";
import type { Schemas } from "../../client/control.ts";
import { createClient, readUrl } from "../client.ts";
import { type Call, type Command, clientOptions, jsonOption, option } from "../command.ts";
import { Failure, Misuse } from "../failure.ts";
import {
  addLogin,
  findLogin,
  findLoginInUse,
  type Login,
  readLogins,
  removeLogin,
  toOrigin,
  writeLogins,
} from "../logins.ts";
import { replaceTexts } from "../options.ts";
import { withFound } from "../resolve-sandbox.ts";
import { askSecret } from "../terminal/secret-prompt.ts";

type Caller = Schemas["Caller"];

export const login: Command = {
  name: "login",
  summary: "Sign in to a shared sandbox: commands then talk to it.",
  arguments: [
    [
      "[address]",
      "Its address, such as https://sandbox.example.com; without it, as whom commands talk to the sandbox.",
    ],
  ],
  options: [
    option.text("token", "-", "Read the token from stdin; without it, it is asked for, and not shown.", {
      environment: "SANDBOX_CONTROL_TOKEN",
    }),
    // An address that is given needs no search for a sandbox.
    ...clientOptions.filter(({ name }) => name !== "world").map((each) => ({ ...each, finds: false })),
  ],
  epilogue: [
    "An owner of your team makes a token with `sandbox token create`. It is checked",
    "before it is written to experience-sandbox/logins.json in your configuration",
    "folder (XDG_CONFIG_HOME or ~/.config; %APPDATA% on Windows), which only you can",
    "read. An address that is known already is used again without a token.",
  ].join("\n"),
  run: (call) => (call.args.length > 0 ? signIn(call) : printCaller(call)),
};

async function signIn({ args: [address = ""], given, terminal, environment }: Call): Promise<undefined> {
  const url = toOrigin(readUrl("The address", address));
  const logins = readLogins(environment);
  const sent = givenToken(given);
  // Signing in again needs no token where the known one is still good.
  const found = sent === undefined ? await again(url, findLogin(logins, url), terminal) : undefined;
  const token = sent ?? found?.token ?? (await typedToken(url, terminal));
  // A token is written only after the sandbox has taken it.
  const caller = found?.caller ?? (await whoIs(url, token));
  const { role, team, subject, expires_at } = caller;
  const file = writeLogins(environment, addLogin(logins, { url, token, role, team, subject, expires_at }));
  // After the fact, and not refused: many test networks have no TLS.
  if (isInTheClear(url))
    terminal.say("Warning: the address begins with http://, so the token crosses the network readable.");
  if (given.flag("json")) terminal.json({ url, ...caller });
  else terminal.print(`Signed in to ${url} as ${named(caller)}. Commands talk to it from now on.`);
  terminal.say(`The token is in ${file}.`);
}

/** With the token that is known; undefined where there is none, or where it does not count any more. */
async function again(url: string, known: Login | undefined, terminal: Call["terminal"]) {
  if (!known) return undefined;
  try {
    return { token: known.token, caller: await whoIs(url, known.token) };
  } catch (reason) {
    // A sandbox that can't be reached says nothing about the token.
    if (!(reason instanceof Failure) || reason.code !== "UNAUTHORIZED") throw reason;
    terminal.say(`The token that is known here is refused: ${reason.message}`);
    return undefined;
  }
}

function givenToken(given: Call["given"]): string | undefined {
  const token = given.text("token");
  // File descriptor 0, to its end.
  if (token === "-") return mustBeToken(readFileSync(0, "utf8").trim());
  if (token === undefined || given.source("token") !== "flag") return token;
  throw new Misuse(
    "--token takes only -, which reads the token from stdin: on the command line other programs would see it.",
  );
}

async function typedToken(url: string, { complain }: Call["terminal"]): Promise<string> {
  const typed = await askSecret(`Token for ${url}: `, complain);
  if (typed === undefined) throw new Failure("Not signed in.");
  return mustBeToken(typed.trim());
}

// A token that was wrapped by a mail program has a blank in it.
function mustBeToken(text: string): string {
  if (text !== "" && !/\s/.test(text)) return text;
  throw new Misuse(
    text === ""
      ? "The token is empty. Give the whole token (sbx_…)."
      : "The token has blanks in it. Give the token alone (sbx_…).",
  );
}

/** Nothing is written when it is refused. */
async function whoIs(url: string, token: string): Promise<Caller> {
  const texts: Readonly<Record<string, string>> = { url, world: "default", "control-token": token };
  // This command is what others advise to run.
  const { ask, control } = createClient({ text: (name) => texts[name] }, undefined, "");
  return ask(control.GET("/_sandbox/me"));
}

const isInTheClear = (url: string): boolean => {
  // On the loopback nobody else listens.
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
};

function named({ role, team, subject, expires_at }: Caller): string {
  if (team === null) return "the operator";
  return `${subject}, ${role} in the team ${team}${expires_at === null ? "" : `, until ${expires_at}`}`;
}

/** Without an address: as whom commands talk to the sandbox. */
async function printCaller(call: Call): Promise<undefined> {
  const { given, terminal } = await withFound(call);
  const { ask, control, url } = createClient(replaceTexts(given, { world: "default" }));
  const caller = await ask(control.GET("/_sandbox/me"));
  if (given.flag("json")) return void terminal.json({ url, ...caller });
  terminal.print(`${named(caller)}, at ${url}`);
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
    // Without an address the one in use, which is what people mean.
    const found = address === undefined ? findLoginInUse(known) : findLogin(known, readUrl("The address", address));
    if (!found) {
      const all = known.logins.map(({ url }) => url).join(", ");
      throw new Failure(
        `${address ? `You are not signed in to ${address}` : "No sandbox is in use"}. ${all ? `Signed in to: ${all}` : "Sign in with `sandbox login <address>`"}.`,
      );
    }
    writeLogins(environment, removeLogin(known, found.url));
    if (given.flag("json")) terminal.json({ url: found.url, removed: true });
    else terminal.print(`Forgot the token of ${found.url}.`);
    return 0;
  },
};
