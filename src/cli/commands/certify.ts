// sandbox certify: judges a program by a profile, and signs what was observed; where anything is missing, nothing.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { promisify } from "node:util";
import { readBounded } from "../../platform/bounded-file.ts";
import type { Subject } from "../../verdict/certificate/index.ts";
import type { Verdict } from "../../verdict/index.ts";
import { certificateLines } from "../certificate-lines.ts";
import type { Call, Command } from "../command.ts";
import { codeOf } from "../ending.ts";
import { Failure, Misuse, messageOf } from "../fault.ts";
import { launcher } from "../launch.ts";
import { textOf } from "../options.ts";
import { configurable } from "../start-settings.ts";
import { progressOn } from "../terminal/verdict-progress.ts";
import { ownPlaceOf, probeOf, unlessStopped } from "../verdict-given.ts";
import { NOT_HERE, verdictOptions } from "../verdict-options.ts";
import { checksFor, profileFrom } from "../verdict-profile.ts";
import { mustBeWritable } from "../whole-file.ts";
import { ignoresHere, today } from "./verdict.ts";

/** A certificate is judged in full, by sandboxes that this command starts itself. */
const NOT_TO_CERTIFY = new Set([
  ...["only", "strict", "reporter", "output", "baseline", "keep", "url", "control-token"],
]);

export const certify: Command = {
  name: "certify",
  summary: "Judge a program by a profile, and sign what was observed.",
  arguments: [["<command...>", "The command that runs the program or its tests, after --."]],
  options: [
    ...verdictOptions.filter(({ name }) => !NOT_TO_CERTIFY.has(name)),
    {
      name: "output",
      kind: "text",
      placeholder: "FILE",
      default: "certificate.json",
      meaning: "Where the certificate is written.",
    },
    {
      name: "report",
      kind: "text",
      placeholder: "FILE",
      default: undefined,
      meaning: "Where the verdict is written as JSON, with the evidence that the certificate has the hashes of.",
    },
    {
      name: "subject",
      kind: "text",
      placeholder: "NAME@VERSION",
      default: undefined,
      meaning: "What is certified; default: what package.json says, or the name of the folder.",
    },
    {
      name: "certificate-key",
      kind: "text",
      placeholder: "FILE",
      default: undefined,
      meaning: "Your Ed25519 key as a JWK, made if it is not there; default: a new key for each certificate.",
    },
  ],
  configured: configurable.filter((name) => !NOT_HERE.has(name)),
  wraps: true,
  epilogue: [
    "The certificate is self-attested: made here, and signed with a key of yours. It says",
    "what a sandbox observed of this program, and is no word of the service. It holds for",
    "90 days. Nothing is signed where anything of the profile was not shown.",
    "",
    "Exit codes: 0 signed, 1 something failed or was not shown, 2 wrong usage, 3 no verdict.",
    "",
    "  sandbox certify --profile reader -- npm start",
    "  sandbox certificate verify certificate.json",
  ].join("\n"),
  run: certified,
};

async function certified(call: Call): Promise<number> {
  const { given, terminal } = call;
  const profile = await profileFrom(given);
  if (!profile) throw new Misuse("Say which profile the program is held to, such as --profile reader.");
  const { newKey, readKey, ...parts } = await import("../../verdict/certificate/index.ts");
  const why = parts.whyNotCertifiable(profile);
  if (why) throw new Failure(why, "NOT_CERTIFIABLE");
  const [output, report] = [textOf(given, "output"), given.text("report")];
  if (report !== undefined) mustBeWritable(report);
  const written = [output, report, given.text("certificate-key")].filter((each) => each !== undefined);
  const subject = await subjectHere(given.text("subject"), written);
  const key = await keyFrom(given.text("certificate-key"), { newKey, readKey });
  const fixtureHash = await hashOfFixture(textOf(given, "fixture"));
  const found = await judged(call, profile);
  if (typeof found === "string") return codeOf(found);
  if (report !== undefined) writeFileSync(report, `${JSON.stringify(found, null, 2)}\n`);
  const gap = parts.whyUnsigned(found) ?? whyMoved(subject, await subjectHere(given.text("subject"), written));
  if (gap) {
    const { reporters } = await import("../../verdict/index.ts");
    const width = Number.isFinite(terminal.width) ? terminal.width : 120;
    terminal.write(reporters.spec?.(found, { paint: terminal.paint, width }) ?? "");
    terminal.say(gap);
    return found.exit_code === 0 ? 1 : found.exit_code;
  }
  const certificate = parts.certificateOf(found, { subject, fixtureHash });
  const text = await parts.signed(certificate, key);
  mustBeWritable(output);
  writeFileSync(output, text);
  if (given.flag("json")) terminal.json({ file: output, certificate });
  else for (const line of certificateLines(certificate)) terminal.print(line);
  terminal.say(`It is in ${output}.`);
  return 0;
}

async function judged(
  { args, given, terminal, environment }: Call,
  profile: NonNullable<Awaited<ReturnType<typeof profileFrom>>>,
): Promise<Verdict | NodeJS.Signals> {
  const parts = await import("../../verdict/index.ts");
  const progress = progressOn(terminal);
  const judging = parts.judge({
    ...ownPlaceOf({ given }),
    ...{ command: args, checks: await checksFor(profile, parts.checks), profile, seed: textOf(given, "seed") },
    ...{ launch: launcher(args, environment), probe: probeOf(given.text("probe"), environment) },
    jobs: given.value("jobs") as number | undefined,
    limitMs: given.number("timeout") * 1000,
    ignores: ignoresHere(
      parts,
      parts.checks.map(({ id }) => id),
    ),
    ...{ today: today(), told: progress.told },
  });
  return unlessStopped(judging.finally(progress.end));
}

/** The name and version of the project here, and the commit that it is at. */
async function subjectHere(given: string | undefined, written: readonly string[]): Promise<Subject> {
  const at = given?.lastIndexOf("@") ?? -1;
  const own =
    given === undefined
      ? manifestHere()
      : { name: at > 0 ? given.slice(0, at) : given, version: at > 0 ? given.slice(at + 1) : null };
  const commit = await git("rev-parse", "HEAD");
  // What this command writes is no change of the program.
  const others = written.map((file) => `:(exclude)${file}`);
  const changed = commit === undefined ? undefined : await git("status", "--porcelain", "--", ".", ...others);
  return { ...own, commit: commit ?? null, clean: changed === undefined ? null : changed === "" };
}

function manifestHere(): Pick<Subject, "name" | "version"> {
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
    () => undefined,
  );

/** A certificate is of one commit. */
function whyMoved(before: Subject, after: Subject): string | undefined {
  if (before.commit === after.commit && before.clean === after.clean) return undefined;
  return "Nothing is signed, since the files or the commit changed while the program was judged. Keep what it writes out of the repository, and run it again.";
}

type Keys = Pick<typeof import("../../verdict/certificate/index.ts"), "newKey" | "readKey">;

async function keyFrom(file: string | undefined, { newKey, readKey }: Keys) {
  if (file === undefined) return newKey();
  try {
    if (existsSync(file)) return readKey(readBounded(file, { most: 1024 * 1024 }));
    const key = await newKey();
    writeFileSync(file, `${JSON.stringify(key)}\n`, { mode: 0o600, flag: "wx" });
    return key;
  } catch (error) {
    throw new Misuse(
      `--certificate-key ${file} can't be used: ${messageOf(error)}. Name another file; one that is not there is made.`,
    );
  }
}

async function hashOfFixture(fixture: string): Promise<string> {
  const { readFixture } = await import("../../engine/fixtures/read.ts");
  const { fixturesFolder } = await import("../../sandbox.ts");
  return createHash("sha256")
    .update(JSON.stringify(readFixture(fixture, fixturesFolder()).texts))
    .digest("hex");
}
