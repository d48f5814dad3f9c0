// sandbox logout: forgets the token of a shared sandbox.
import { readUrl } from "../client.ts";
import { type Command, jsonOption } from "../command.ts";
import { Failure } from "../failure.ts";
import { loginFor, loginInUse, readLogins, withoutLogin, writeLogins } from "../logins.ts";

export const logout: Command = {
  name: "logout",
  summary: "Forget the token of a shared sandbox.",
  arguments: [["[address]", "Its address; default: the one in use."]],
  options: [jsonOption],
  epilogue: "The token stays valid: an owner revokes it with `sandbox token revoke`.",
  async run({ args: [address], given, terminal, environment }) {
    const known = readLogins(environment);
    // Without an address the one in use, which is what people mean.
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
