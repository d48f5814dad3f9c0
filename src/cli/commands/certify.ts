// sandbox certify: judges a program by a profile, and signs what was observed; where anything is missing, nothing.
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, relative, resolve } from "node:path";
import { promisify } from "node:util";
import { outOf } from "../../platform/bounded-file.ts";
import type { CertificateSubject } from "../../verdict/certificate/index.ts";
import type { Verdict } from "../../verdict/index.ts";
import type { Profile } from "../../verdict/profiles/index.ts";
import type { Soak } from "../../verdict/soak/index.ts";
import { besideOptions, mustHaveWhatItAsks, soaked } from "../beside-verdict.ts";
import { type Beside, type Issuer, localIssuer, sharedIssuer } from "../certificate-issuers.ts";
import { certificateLines } from "../certificate-lines.ts";
import { type Call, type Command, option } from "../command.ts";
import { codeOf } from "../ending.ts";
import { Failure, Misuse, messageOf } from "../failure.ts";
import { textOf } from "../options.ts";
import { configurable } from "../start-settings.ts";
import { progressOn } from "../terminal/verdict-progress.ts";
import { lookOf, ownTargetOf, type Reporter, targetOf, unlessStopped, withRunFolders } from "../verdict-given.ts";
import { NOT_HERE, verdictOptions } from "../verdict-options.ts";
import { checksFor, profileFrom } from "../verdict-profile.ts";
import { mustBeWritable, writeOutput } from "../whole-file.ts";
import { judgingOf } from "./verdict.ts";

/** A certificate is judged in full. These options would narrow or soften it. */
const NOT_TO_CERTIFY = new Set(["only", "strict", "reporter", "output", "baseline", "keep"]);

export const certify: Command = {
  name: "certify",
  summary: "Judge a program by a profile, and sign what was observed.",
  arguments: [["<command...>", "The command that runs the program or its tests, after --."]],
  options: [
    ...verdictOptions.filter(({ name }) => !NOT_TO_CERTIFY.has(name)),
    ...besideOptions,
    option.text("output", "FILE", "Where the certificate is written.", { default: "certificate.json" }),
    option.text(
      "report",
      "FILE",
      "Where the verdict is written as JSON, with the evidence that the certificate has the hashes of.",
    ),
    option.text(
      "subject",
      "NAME@VERSION",
      "What is certified; default: what package.json says, or the name of the folder.",
    ),
    option.text(
      "signing-key",
      "FILE",
      "Your Ed25519 key as a JWK, made if it is not there; default: a new key for each certificate.",
    ),
  ],
  configured: configurable.filter((name) => !NOT_HERE.has(name)),
  wraps: true,
  epilogue: [
    "The certificate is self-attested: made here, and signed with a key of yours. With --url",
    "the program runs in worlds of a shared sandbox, which judges anew by its own log and",
    "signs with its key. Either says what a sandbox observed of this program, and is no word",
    "of the service. It holds for 90 days. Nothing is signed where anything of the profile",
    "was not shown. Where the profile asks for a soak, the command stays until it is stopped;",
    "a month of business takes a minute. SANDBOX_RUN_FOLDER is then an empty folder for what",
    "it keeps.",
    "",
    "Exit codes: 0 signed, 1 something failed or was not shown, 2 wrong usage, 3 no verdict.",
    "",
    "  sandbox certify --profile reader -- npm start",
    '  sandbox certify --profile reseller --probe "node state.js" -- npm start',
    '  sandbox certify --profile accounting --books "node books.js" -- npm run import',
    "  sandbox certify --profile reader --url https://sandbox.example.com -- npm start",
    "  sandbox certificate verify certificate.json",
  ].join("\n"),
  run: certified,
};

async function certified(call: Call): Promise<number> {
  const profile = await profileFrom(call.given);
  if (!profile) throw new Misuse("Say which profile the program is held to, such as --profile reader.");
  // Before a key is made or a world is taken.
  mustHaveWhatItAsks(profile, call);
  const { server } = targetOf(call);
  if (!server) return signedBy(await localIssuer(call), profile, call);
  if (call.given.text("signing-key") !== undefined)
    throw new Misuse(`--signing-key is for a certificate of your own; ${server.url} signs with its key. Leave it out.`);
  const { removeWorlds } = await import("../../verdict/index.ts");
  try {
    return await signedBy(sharedIssuer(server, call), profile, call);
    // Also after a failure: worlds of a certificate stay only until it is judged.
  } finally {
    await removeWorlds();
  }
}

/** Judges, and has signed what was found where nothing stands against it. */
async function signedBy(issuer: Issuer, profile: Profile, call: Call): Promise<number> {
  const { given, terminal } = call;
  const [output, report] = [textOf(given, "output"), given.text("report")];
  // A path that was typed may lead anywhere.
  if (given.source("output") === "default") mustStayHere(output);
  if (report !== undefined) mustBeWritable(report);
  const written = [output, report, given.text("signing-key")].filter((each) => each !== undefined);
  // Before the run, to see afterwards whether the files are still those that were judged.
  const subject = await subjectHere(given.text("subject"), written);
  const found = await judged(call, profile, issuer);
  if (typeof found === "string") return codeOf(found);
  if (report !== undefined) writeOutput(report, `${JSON.stringify(found, null, 2)}\n`);
  const { whyUnsigned } = await import("../../verdict/certificate/index.ts");
  // What was found is printed either way; a refusal without evidence helps nobody.
  const unsigned = whyUnsigned(found);
  if (unsigned) {
    const { reporters } = await import("../../verdict/index.ts");
    return refused(call, [reporters, found], unsigned);
  }
  const beside = await besideOf(call, profile, issuer);
  if ("code" in beside) return beside.code;
  // The last step before signing: a soak takes minutes, in which somebody may commit.
  const moved = whyMoved(subject, await subjectHere(given.text("subject"), written));
  if (moved) throw new Failure(moved);
  const { text, certificate, url } = await issuer.sign(found, { subject, profile, ...beside });
  // Checked again: the runs took minutes.
  mustBeWritable(output);
  writeOutput(output, text);
  if (given.flag("json")) terminal.json({ file: output, certificate, ...(url === undefined ? {} : { url }) });
  else for (const line of certificateLines(certificate)) terminal.print(line);
  terminal.say(url === undefined ? `It is in ${output}.` : `It is in ${output}, and at ${url}.`);
  return 0;
}

/** What was found, why nothing is signed, and the exit code. */
function refused<Found extends { exit_code: number }>(
  { given, terminal }: Call,
  [reporters, found]: [reporters: Readonly<Record<string, Reporter<Found>>>, found: Found],
  why: string,
): number {
  terminal.write(reporters[given.flag("json") ? "json" : "spec"]?.(found, lookOf(terminal)) ?? "");
  terminal.say(why);
  return found.exit_code === 0 ? 1 : found.exit_code;
}

/** The soak and the books that the profile asks for; or the exit code where nothing is to be signed. */
async function besideOf(call: Call, profile: Profile, issuer: Issuer): Promise<Beside | { code: number }> {
  const { whySoakUnsigned } = await import("../../verdict/certificate/index.ts");
  let soak: Soak | undefined;
  // The cheaper judgement has passed, so the minute of a soak is worth it.
  if (profile.soak) {
    const found = await soaked(call, issuer.where);
    if (typeof found === "string") return { code: codeOf(found) };
    const why = whySoakUnsigned(found, profile);
    if (why) {
      const { soakReporters } = await import("../../verdict/soak/index.ts");
      return { code: refused(call, [soakReporters, found], why) };
    }
    soak = found;
  }
  const books = profile.books ? await issuer.books() : undefined;
  if (books && "code" in books) return books;
  return { ...(soak ? { soak } : {}), ...(books ? { books } : {}) };
}

async function judged(call: Call, profile: Profile, { where }: Issuer): Promise<Verdict | NodeJS.Signals> {
  const parts = await import("../../verdict/index.ts");
  const progress = progressOn(call.terminal);
  const checks = await checksFor(profile, parts.checks);
  return withRunFolders((freshFolder) => {
    const judging = parts.judge({
      ...{ ...judgingOf(call, parts), ...ownTargetOf(call), ...where, checks, profile },
      ...{ freshFolder, report: progress.report },
    });
    return unlessStopped(judging.finally(progress.end));
  });
}

/** The name and version of the project here, and the commit that it is at. */
async function subjectHere(given: string | undefined, written: readonly string[]): Promise<CertificateSubject> {
  // The last one: the name of a scoped package begins with an @.
  const at = given?.lastIndexOf("@") ?? -1;
  const own =
    given === undefined
      ? manifestHere()
      : { name: at > 0 ? given.slice(0, at) : given, version: at > 0 ? given.slice(at + 1) : null };
  // What a certificate has room for.
  if (own.name === "" || own.name.length > 200 || (own.version ?? "").length > 200)
    throw new Misuse(
      "Name what is certified, and its version, in at most 200 characters each: --subject NAME@VERSION.",
    );
  const commit = await git("rev-parse", "HEAD");
  // What this command writes is no change of the program; git knows nothing of what lies elsewhere.
  const here = written.map((file) => relative(".", file)).filter((file) => !file.startsWith(".."));
  const others = here.map((file) => `:(exclude)${file}`);
  const changed = commit === undefined ? undefined : await git("status", "--porcelain", "--", ".", ...others);
  return { ...own, commit: commit ?? null, clean: changed === undefined ? null : changed === "" };
}

function manifestHere(): Pick<CertificateSubject, "name" | "version"> {
  const folder = { name: basename(resolve(".")), version: null };
  if (!existsSync("package.json")) return folder;
  try {
    const { name, version } = JSON.parse(readFileSync("package.json", "utf8")) as Record<string, unknown>;
    return {
      name: typeof name === "string" ? name : folder.name,
      version: typeof version === "string" ? version : null,
    };
  } catch (error) {
    throw new Misuse(
      `package.json can't be read: ${messageOf(error)}. Mend it, or name what is certified by --subject.`,
    );
  }
}

const git = (...words: readonly string[]): Promise<string | undefined> =>
  promisify(execFile)("git", [...words]).then(
    ({ stdout }) => stdout.trim(),
    // Without git, or outside a repository, a certificate is of no commit, and says so.
    () => undefined,
  );

/** A certificate is of one commit. */
function whyMoved(before: CertificateSubject, after: CertificateSubject): string | undefined {
  if (before.commit === after.commit && before.clean === after.clean) return undefined;
  return "Nothing is signed, since the files or the commit changed while the program was judged. Keep what it writes out of the repository, and run it again.";
}

/** Nobody has named the file, and its folder may come from anybody. */
function mustStayHere(output: string): void {
  const elsewhere = outOf(".", output);
  if (elsewhere !== undefined)
    throw new Misuse(
      `${output} leads to ${elsewhere}, out of this folder. If that is meant, say it aloud: --output ${elsewhere}.`,
    );
}
