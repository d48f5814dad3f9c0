// sandbox certificate: what a certificate says, and whether it holds. Nobody is asked.
import { readBounded } from "../../platform/bounded-file.ts";
import type { Verified } from "../../verdict/certificate/index.ts";
import { certificateLines } from "../certificate-lines.ts";
import { type Call, type Command, type Group, jsonOption } from "../command.ts";
import { Failure, Misuse, messageOf } from "../fault.ts";

const verify: Command = {
  name: "verify",
  summary: "Say what a certificate says, and whether it holds.",
  arguments: [["<file>", "What `sandbox certify` has written."]],
  options: [
    {
      name: "jwks",
      kind: "text",
      placeholder: "URL|FILE",
      default: undefined,
      meaning:
        "The keys of the issuers that you trust, as a JWK Set; without them the key in the certificate is taken.",
    },
    {
      name: "commit",
      kind: "text",
      placeholder: "SHA",
      default: undefined,
      meaning: "The commit that it has to be of, with nothing changed; at least seven letters.",
    },
    jsonOption,
  ],
  epilogue: [
    "Exit codes: 0 it holds, 1 it does not, 2 wrong usage.",
    "",
    "  sandbox certificate verify certificate.json --commit $(git rev-parse HEAD)",
  ].join("\n"),
  run: verifyFile,
};

export const certificate: Group = {
  name: "certificate",
  summary: "What a certificate says, and whether it holds.",
  members: [verify],
};

async function verifyFile({ args, given, terminal }: Call): Promise<number> {
  const [file = ""] = args;
  const { verified } = await import("../../verdict/certificate/index.ts");
  const text = textFrom(file, file);
  const from = given.text("jwks");
  const jwks = from === undefined ? undefined : keysIn(await setFrom(from), from);
  const commit = given.text("commit");
  if (commit !== undefined && !/^[0-9a-f]{7,64}$/i.test(commit))
    throw new Misuse(`--commit ${commit} is no commit. Write at least seven letters of its hash.`);
  const found = await verified(text, { jwks, commit, now: performance.timeOrigin + performance.now() });
  const holds = found.faults.length === 0;
  if (given.flag("json")) terminal.json({ holds, ...found });
  else {
    for (const line of found.certificate ? certificateLines(found.certificate) : []) terminal.print(line);
    for (const fault of found.faults) terminal.say(fault);
    if (holds) terminal.print(heldWords(found, jwks !== undefined));
  }
  return holds ? 0 : 1;
}

const heldWords = ({ key }: Verified, isTrusted: boolean): string =>
  isTrusted
    ? `It holds: signed by the key ${key}, which is trusted.`
    : `It holds: signed by the key ${key}, which it brings itself. Who has that key is not known; --jwks says whom you trust.`;

type Keys = NonNullable<Parameters<typeof import("../../verdict/certificate/index.ts").verified>[1]["jwks"]>;

function keysIn(text: string, from: string): Keys {
  try {
    const { keys } = JSON.parse(text) as { keys?: unknown };
    if (!Array.isArray(keys)) throw new Error("it has no keys");
    return keys as Keys;
  } catch (error) {
    throw new Misuse(`--jwks ${from} is no JWK Set: ${messageOf(error)}. It looks like {"keys":[…]}.`);
  }
}

async function setFrom(from: string): Promise<string> {
  if (!/^https?:/.test(from)) return textFrom(from, `--jwks ${from}`);
  try {
    const answer = await fetch(from, { signal: AbortSignal.timeout(10_000) });
    if (!answer.ok) throw new Error(`it answered ${answer.status}`);
    return await answer.text();
  } catch (error) {
    throw new Failure(`The keys at ${from} can't be read: ${messageOf(error)}. Give a file that has them.`);
  }
}

function textFrom(file: string, called: string): string {
  try {
    return readBounded(file, { most: 1024 * 1024 });
  } catch (error) {
    throw new Misuse(`${called} can't be read: ${messageOf(error)}. Name another file.`);
  }
}
