// sandbox login, logout and whoami: which shared sandbox the commands talk to from then on, and as whom.
import { readFileSync } from "node:fs";
import type { Schemas } from "../../client/control.ts";
import { clientOf, readUrl } from "../client.ts";
import { type Call, type Command, clientOptions, jsonOption } from "../command.ts";
import { Failure, Misuse } from "../fault.ts";
import {
  type Login,
  loginFor,
  loginInUse,
  originOf,
  readLogins,
  withLogin,
  withoutLogin,
  writeLogins,
} from "../logins.ts";
import { askSecret } from "../terminal/secret-prompt.ts";

type Caller = Schemas["Caller"];

export const login: Command = {
  name: "login",
  summary: "Sign in to a shared sandbox: commands then talk to it.",
  arguments: [["<address>", "Its address, such as https://sandbox.example.com."]],
  options: [
    {
      name: "token",
      kind: "text",
      placeholder: "-",
      default: undefined,
      environment: "SANDBOX_CONTROL_TOKEN",
      meaning: "Read the token from stdin; without it, it is asked for, and not shown.",
    },
    jsonOption,
  ],
  epilogue: [
    "An owner of your team makes a token with `sandbox token create`. It is checked",
    "before it is written to experience-sandbox/logins.json in your configuration",
    "folder (XDG_CONFIG_HOME or ~/.config; %APPDATA% on Windows), which only you can",
    "read. An address that is known already is used again without a token.",
  ].join("\n"),
  run: signIn,
};

async function signIn({ args: [address = ""], given, terminal, environment }: Call): Promise<undefined> {
  const url = originOf(readUrl("The address", address));
  const known = readLogins(environment);
  const given_ = await tokenFrom(given, url, terminal.complain, loginFor(known, url));
  const caller = await whoIs(url, given_);
  const { role, team, subject, expires_at } = caller;
  const file = writeLogins(environment, withLogin(known, { url, token: given_, role, team, subject, expires_at }));
  if (isInTheClear(url))
    terminal.say("Warning: the address begins with http://, so the token crosses the network readable.");
  if (given.flag("json")) terminal.json({ url, ...caller });
  else terminal.print(`Signed in to ${url} as ${named(caller)}. Commands talk to it from now on.`);
  terminal.say(`The token is in ${file}.`);
}

async function tokenFrom(
  given: Call["given"],
  url: string,
  say: (text: string) => void,
  known: Login | undefined,
): Promise<string> {
  const token = given.text("token");
  if (token === "-") return mustBeToken(readFileSync(0, "utf8").trim());
  if (given.source("token") === "flag")
    throw new Misuse(
      "--token takes only -, which reads the token from stdin: on the command line other programs would see it.",
    );
  if (token !== undefined) return token;
  if (known) return known.token;
  const typed = await askSecret(`Token for ${url}: `, say);
  if (typed === undefined) throw new Failure("Not signed in.");
  return mustBeToken(typed.trim());
}

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
  const { ask, control } = clientOf({ text: (name) => texts[name] });
  return ask(control.GET("/_sandbox/me"));
}

const isInTheClear = (url: string): boolean => {
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
};

function named({ role, team, subject, expires_at }: Caller): string {
  if (team === null) return "the operator";
  return `${subject}, ${role} in the team ${team}${expires_at === null ? "" : `, until ${expires_at}`}`;
}

export const logout: Command = {
  name: "logout",
  summary: "Forget the token of a shared sandbox.",
  arguments: [["[address]", "Its address; default: the one in use."]],
  options: [jsonOption],
  epilogue: "The token stays valid: an owner revokes it with `sandbox token revoke`.",
  async run({ args: [address], given, terminal, environment }) {
    const known = readLogins(environment);
    const found = address === undefined ? loginInUse(known) : loginFor(known, readUrl("The address", address));
    if (!found) {
      const all = known.logins.map(({ url }) => url).join(", ");
      throw new Failure(
        `${address ? `You are not signed in to ${address}` : "No sandbox is in use"}. ${all ? `Signed in to: ${all}` : "Sign in with `sandbox login <address>`"}.`,
      );
    }
    writeLogins(environment, withoutLogin(known, found.url));
    if (given.flag("json")) terminal.json({ url: found.url, removed: true });
    else terminal.print(`Forgot the token of ${found.url}.`);
    return 0;
  },
};

export const whoami: Command = {
  name: "whoami",
  summary: "Say as whom commands talk to the sandbox.",
  options: clientOptions.filter(({ name }) => name !== "world"),
  async run({ given, terminal }) {
    const { ask, control, url } = clientOf({
      ...given,
      text: (name) => (name === "world" ? "default" : given.text(name)),
    });
    const caller = await ask(control.GET("/_sandbox/me"));
    if (given.flag("json")) terminal.json({ url, ...caller });
    else {
      terminal.print(`${named(caller)}, at ${url}`);
      terminal.print(`Default world: ${caller.default_world}`);
    }
    return 0;
  },
};
