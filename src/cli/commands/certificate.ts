// sandbox certificate: what a certificate says, and whether it holds. Nobody is asked but who is named with --jwks: an address in a file may
// be anybody's.
import type { Schemas } from "../../client/control.ts";
import { readBounded, whyUnread } from "../../platform/bounded-file.ts";
import type { Verified } from "../../verdict/certificate/index.ts";
import { certificateLines } from "../certificate-lines.ts";
import { type Call, type Command, type Group, jsonOption, option } from "../command.ts";
import { Failure, Misuse, messageOf } from "../failure.ts";

const verify: Command = {
  name: "verify",
  summary: "Say what a certificate says, and whether it holds.",
  arguments: [["<file>", "What `sandbox certify` has written."]],
  options: [
    option.text(
      "jwks",
      "URL|FILE",
      "The keys of the issuers that you trust, as a JWK Set; without them the key in the certificate is taken. At an address it is asked too whether the certificate was revoked.",
    ),
    option.text("commit", "SHA", "The commit that it has to be of, with nothing changed; at least seven letters."),
    jsonOption,
  ],
  epilogue: [
    "Exit codes: 0 it holds, 1 it does not, 2 wrong usage.",
    "",
    "  sandbox certificate verify certificate.json --commit $(git rev-parse HEAD)",
    "  sandbox certificate verify certificate.json \\",
    "    --jwks https://sandbox.example.com/.well-known/jwks.json",
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
  const offline = await verified(text, { jwks, commit, now: performance.timeOrigin + performance.now() });
  const since = from !== undefined && isAddress(from) ? await revokedAt(from, offline) : undefined;
  // A revocation is one more reason against it, beside those that the file itself gives.
  const found = { ...offline, faults: [...offline.faults, ...(since?.faults ?? [])] };
  const holds = found.faults.length === 0;
  if (given.flag("json")) terminal.json({ holds, ...found });
  else {
    for (const line of found.certificate ? certificateLines(found.certificate, found.trusted) : [])
      terminal.print(line);
    for (const problem of found.faults) terminal.say(problem);
    if (holds) for (const line of heldWords(found, from, since !== undefined)) terminal.print(line);
  }
  return holds ? 0 : 1;
}

/** `from`: where the keys that are trusted come from. */
function heldWords({ key, certificate, trusted }: Verified, from: string | undefined, isAnswered: boolean): string[] {
  const { witness } = certificate ?? {};
  const whose = trusted
    ? `It holds: signed by the key ${key}, which is trusted.`
    : `It holds: signed by the key ${key}, which it brings itself. Who has that key is not known; --jwks says whom you trust.`;
  if (!witness) return [whose];
  const own = `${witness.issuer}/.well-known/jwks.json`;
  // Keys name nobody, so that each of a set may sign for any issuer.
  const claimed = `That ${witness.issuer} is its issuer is the certificate's own word: the key was not read there.`;
  const unknown = `Whether it was revoked was not asked: --jwks ${own} asks, if you trust that address.`;
  return [
    whose,
    ...(trusted && from !== own ? [claimed] : []),
    isAnswered ? "Its issuer has not revoked it." : unknown,
  ];
}

const isAddress = (from: string): boolean => /^https?:/.test(from);
const JWKS_PATH = /\/\.well-known\/jwks\.json$/;

/** What became of it since, where its issuer says so; undefined where that can't be asked. */
async function revokedAt(jwks: string, { certificate }: Verified): Promise<{ faults: string[] } | undefined> {
  const id = certificate?.witness?.id;
  // Asked only at the address that the person trusts, never at one from the certificate.
  if (id === undefined || !JWKS_PATH.test(jwks)) return undefined;
  const address = jwks.replace(JWKS_PATH, `/certificates/${encodeURIComponent(id)}.json`);
  const answer = await fetched(address, "What became of the certificate");
  if (answer.status === 404) return { faults: [`There is no certificate ${id} at ${new URL(jwks).origin}.`] };
  // The issuer's own word; a page that is no JSON counts as no answer.
  const { status, revoked } = (await answer.json().catch(() => ({}))) as Partial<Schemas["CertificateView"]>;
  if (!answer.ok || status === undefined)
    throw new Failure(`${address} does not say what became of the certificate: it answered ${answer.status}.`);
  return { faults: revoked ? [`It was revoked on ${revoked.at.slice(0, 10)}: ${revoked.reason}`] : [] };
}

/** Followed to no other address. */
async function fetched(address: string, what: string): Promise<Response> {
  try {
    return await fetch(address, { signal: AbortSignal.timeout(10_000), redirect: "error" });
  } catch (error) {
    throw new Failure(`${what} at ${address} can't be read: ${messageOf(error)}.`);
  }
}

type VerifyingKeys = NonNullable<Parameters<typeof import("../../verdict/certificate/index.ts").verified>[1]["jwks"]>;

function keysIn(text: string, from: string): VerifyingKeys {
  try {
    const { keys } = JSON.parse(text) as { keys?: unknown };
    if (!Array.isArray(keys)) throw new Error("it has no keys");
    return keys as VerifyingKeys;
  } catch (error) {
    throw new Misuse(`--jwks ${from} is no JWK Set: ${messageOf(error)}. It looks like {"keys":[…]}.`);
  }
}

async function setFrom(from: string): Promise<string> {
  if (!isAddress(from)) return textFrom(from, `--jwks ${from}`);
  const answer = await fetched(from, "The keys");
  if (!answer.ok)
    throw new Failure(`The keys at ${from} can't be read: it answered ${answer.status}. Give a file that has them.`);
  return answer.text();
}

function textFrom(file: string, called: string): string {
  try {
    return readBounded(file, { most: 1024 * 1024 });
  } catch (error) {
    throw new Misuse(`${called} ${whyUnread(error)} Name another file.`);
  }
}
