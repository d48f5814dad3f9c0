// Who signs a certificate: the program's own people with a key of theirs, or a shared sandbox that has seen all runs and judges them anew.
import { createHash } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { dataOf, type Schemas, type Server } from "../client/control.ts";
import { createControl } from "../client/create-control.ts";
import { readBounded } from "../platform/bounded-file.ts";
import type { BooksFigures, Certificate, CertificateSubject } from "../verdict/certificate/index.ts";
import type { BooksRun, Verdict, VerdictOptions } from "../verdict/index.ts";
import type { Profile } from "../verdict/profiles/index.ts";
import type { Soak, SoakOptions } from "../verdict/soak/index.ts";
import { againstLines } from "./answers/reconciled.ts";
import { booksHeld, booksPrinted } from "./beside-verdict.ts";
import type { Call } from "./command.ts";
import { codeOf } from "./ending.ts";
import { Misuse, messageOf } from "./failure.ts";
import { textOf } from "./options.ts";
import { unlessStopped } from "./verdict-given.ts";

/** What a profile may ask for beside the verdict. */
export interface Beside {
  soak?: Soak;
  books?: BooksFigures;
}

interface Signed {
  /** The JWS as it is written into a file. */
  text: string;
  certificate: Certificate;
  /** Its page. */
  url?: string;
}

/** The two ways to a certificate, so that `certify` is one program. */
export interface Issuer {
  /** Where the runs take place, and who hears of each of them. */
  where: Pick<VerdictOptions, "server" | "keep" | "ran"> & Pick<SoakOptions, "printed">;
  /** Runs the program, and holds what it prints against the journal; or the exit code where it does not hold. */
  books(): Promise<BooksFigures | { code: number }>;
  sign(found: Verdict, about: Beside & { subject: CertificateSubject; profile: Profile }): Promise<Signed>;
}

/** Signs here, with the key of the file or a new one. Whoever shows the certificate has made it himself. */
export async function localIssuer(call: Call): Promise<Issuer> {
  const { given } = call;
  const { certificateOf, newKey, readKey, signed } = await import("../verdict/certificate/index.ts");
  const key = await keyFrom(given.text("signing-key"), { newKey, readKey });
  // The certificate names the fixture by its content: a name alone may mean anything.
  const fixtureHash = await hashOfFixture(textOf(given, "fixture"));
  return {
    where: {},
    async books() {
      const ran = await booksOf(call, await booksHeld(call));
      if ("code" in ran) return ran;
      const { whyBooksUnsigned } = await import("../verdict/certificate/index.ts");
      const why = whyBooksUnsigned(ran.held);
      if (!why) return ran.held;
      const { given, terminal } = call;
      if (!given.flag("json")) for (const line of againstLines(ran.held, terminal)) terminal.print(line);
      return nothingSigned(call, why, 1, ran.held);
    },
    async sign(found, { subject, soak, books }) {
      const certificate = certificateOf(found, { subject, fixtureHash, soak, books });
      return { text: await signed(certificate, key), certificate };
    },
  };
}

/**
 * The worlds stay until it has judged. The client tells what it ran and what was printed; the sandbox judges by its own
 * log.
 */
export function sharedIssuer(server: Server, call: Call): Issuer {
  const { args, given } = call;
  const seed = textOf(given, "seed");
  // Gathered while the verdict runs, and sent at the end in one request.
  const runs: Schemas["CertificateRun"][] = [];
  const claims: Pick<Schemas["CertificateInput"], "soak" | "books"> = {};
  let printed: { state: object; world: string } | undefined;
  const where: Issuer["where"] = {
    ...{ server, keep: "for-now" },
    ran: ({ name, drill }, observed) => void runs.push(runOf(name, drill?.name ?? null, observed)),
    printed: (state, world) => (printed = { state, world }),
  };
  return {
    where,
    async books() {
      const ran = await booksOf(call, await booksPrinted(call, where));
      if ("code" in ran) return ran;
      const { rows, unread } = ran.held;
      const why = `Nothing is signed, since ${unread.length} rows of the books can't be read.`;
      if (unread.length > 0) return nothingSigned(call, why, 1, { unread });
      claims.books = { world: ran.world, rows: rows as Record<string, string>[] };
      // How many entries they agree with the sandbox says.
      return { rows: rows.length, entries: 0 };
    },
    async sign(_found, { subject, profile, soak }) {
      if (soak && printed) {
        // The plan of a soak follows from its seed and these figures, so the sandbox can make it again.
        const { days, rate, scope, restarts } = soak;
        claims.soak = { ...{ days, rate, scope, restarts }, ...printed } as NonNullable<typeof claims.soak>;
      }
      const named = await namedProfile(profile);
      const body: Schemas["CertificateInput"] = { subject, command: [...args], seed, runs, ...named, ...claims };
      const made = await unlessStopped(dataOf(createControl(server).POST("/_sandbox/certificates", { body })));
      if (typeof made === "string") throw new Misuse("It was stopped before it was signed.");
      const { jws, certificate, url } = made;
      return { text: `${JSON.stringify(jws, null, 2)}\n`, certificate: certificate as unknown as Certificate, url };
    },
  };
}

/** As much of the output as a judge reads. The end of the output has the reason of a failure. */
const MOST_OUTPUT = 4000;

type Ran = Parameters<NonNullable<VerdictOptions["ran"]>>[1];

function runOf(name: string, drill: string | null, observed: Ran): Schemas["CertificateRun"] {
  const { world, ended, probe, probeFailed, took_ms } = observed;
  const { code, stopped, output } = ended;
  return {
    ...{ name, drill, world, took_ms, probe_failed: probeFailed ?? null },
    ended: { code: code ?? null, stopped: stopped ?? null, output: output.slice(-MOST_OUTPUT) },
    probe: probe === undefined ? null : createHash("sha256").update(JSON.stringify(probe)).digest("hex"),
  };
}

/** One that comes with the sandbox is named; a company's own is sent. */
async function namedProfile(profile: Profile): Promise<Pick<Schemas["CertificateInput"], "profile" | "own">> {
  const { profiles } = await import("../verdict/profiles/index.ts");
  // By its content, so that an edited copy under the same name does not count as the known one.
  if (new Set(profiles.map(({ hash }) => hash)).has(profile.hash)) return { profile: profile.name };
  const { name, hash: _, ...own } = profile;
  return { profile: name, own: own as NonNullable<Schemas["CertificateInput"]["own"]> };
}

/** `found`: what --json prints of it. */
function nothingSigned({ given, terminal }: Call, why: string, code: number, found: object): { code: number } {
  if (given.flag("json")) terminal.json({ ...found, exit_code: code });
  terminal.say(why);
  return { code };
}

/** What was printed, or the exit code: of the signal, or 3 where nothing can be said. */
async function booksOf<Held>(
  call: Call,
  ran: BooksRun<Held> | NodeJS.Signals,
): Promise<{ held: Held; world: string } | { code: number }> {
  if (typeof ran === "string") return { code: codeOf(ran) };
  const { held, world, no_judgement } = ran;
  if (held) return { held, world };
  const why = `Nothing is signed, since the books could not be judged: ${no_judgement?.says}`;
  return nothingSigned(call, why, 3, { no_judgement });
}

type SigningKeys = Pick<typeof import("../verdict/certificate/index.ts"), "newKey" | "readKey">;

/** The key in the file, or a new one, which is written there. Without a file the key lasts as long as the run. */
async function keyFrom(file: string | undefined, { newKey, readKey }: SigningKeys) {
  if (file === undefined) return newKey();
  try {
    if (existsSync(file)) return readKey(readBounded(file, { most: 1024 * 1024 }));
    const key = await newKey();
    // Only its owner may read it, and a file that has appeared meanwhile is not replaced.
    writeFileSync(file, `${JSON.stringify(key)}\n`, { mode: 0o600, flag: "wx" });
    return key;
  } catch (error) {
    throw new Misuse(
      `--signing-key ${file} can't be used: ${messageOf(error)}. Name another file; one that is not there is made.`,
    );
  }
}

async function hashOfFixture(fixture: string): Promise<string> {
  const { readFixture } = await import("../engine/fixtures/read.ts");
  const { fixturesFolder } = await import("../sandbox.ts");
  return createHash("sha256")
    .update(JSON.stringify(readFixture(fixture, fixturesFolder()).texts))
    .digest("hex");
}
