// A certificate from end to end, as a team makes and shows one: signed for a commit and held by it, refused when a letter or the commit is
// another, and never written for a program that nothing can be said of. Each has its words and its exit code.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Certificate, newKey, publicOf, signed as signedBy } from "../../src/verdict/certificate/index.ts";
import { BOOKS, CLERK, KIOSK } from "./clerk.ts";
import { runHere } from "./in-process.ts";
import { folder, run } from "./run-sandbox.ts";

const home = mkdtempSync(join(folder, "kiosk-"));
const file = join(home, "certificate.json");
/** What a test writes beside the repository. */
const beside = mkdtempSync(join(folder, "beside-"));

/** The programs and probes find their interpreters as the tests do. */
const env = { PATH: process.env.PATH ?? "" };

const git = (...words: string[]) =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...words], {
    cwd: home,
    encoding: "utf8",
  });
const certify = ["certify", "--profiles", join(home, "profiles.yaml")];
const verify = (path: string, ...words: string[]) => runHere(["certificate", "verify", path, ...words]);
const kiosk = [process.execPath, join(home, "kiosk.js")];

const certificateIn = (path: string): Certificate =>
  JSON.parse(Buffer.from(JSON.parse(readFileSync(path, "utf8")).payload, "base64url").toString("utf8"));

/** Signed by a new key, and the set that has this key. */
async function signedAs(payload: unknown): Promise<Record<"path" | "jwks", string>> {
  const key = await newKey();
  const [path, jwks] = [join(beside, `${key.x}.json`), join(beside, `${key.x}.jwks`)];
  writeFileSync(path, await signedBy(payload as Certificate, key));
  writeFileSync(jwks, JSON.stringify({ keys: [(await publicOf(key)).jwk] }));
  return { path, jwks };
}

let commit: string;
let signed: Awaited<ReturnType<typeof run>>;
beforeAll(async () => {
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "package.json"), JSON.stringify({ name: "kiosk", version: "1.2.0", type: "module" }));
  writeFileSync(join(home, "kiosk.js"), KIOSK);
  writeFileSync(
    join(home, "profiles.yaml"),
    "kiosk:\n  for: Shows what is on.\n  operations: [listEvents]\n  pass: [AUTH-04]\n",
  );
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Show what is on");
  commit = git("rev-parse", "HEAD").trim();
  // The commit and the name are those of the folder.
  signed = await run([...certify, "--profile", "kiosk", "--", process.execPath, "kiosk.js"], {}, home);
});

describe("A certificate", () => {
  it("is signed for what was shown, and holds for its commit", async () => {
    expect([signed.stderr.split("\n").at(-2), signed.code]).toEqual(["It is in certificate.json.", 0]);
    const { stdout, stderr, code } = await verify(file, "--commit", commit);
    expect([stderr, code]).toEqual(["", 0]);
    expect(stdout.split("\n")[0]).toBe(`kiosk 1.2.0, commit ${commit.slice(0, 12)}`);
    expect(stdout).toMatch(/^2 of 2 · kiosk · until \d{4}-\d\d-\d\d$/m);
    expect(stdout).toMatch(/^It holds: signed by the key [\w-]+, which it brings itself\./m);
  });

  it("is of its commit without changes where its file lies outside the repository", async () => {
    const outside = join(beside, "outside.json");
    // Of the first one, which this one does not write.
    writeFileSync(join(home, ".git", "info", "exclude"), "certificate.json\n");
    const words = [...certify, "--profile", "kiosk", "--output", outside, "--", process.execPath, "kiosk.js"];
    const { code, stderr } = await run(words, {}, home);
    writeFileSync(join(home, ".git", "info", "exclude"), "");
    expect(code, stderr).toBe(0);
    const { stdout } = await verify(outside, "--commit", commit);
    expect(stdout.split("\n")[0]).toBe(`kiosk 1.2.0, commit ${commit.slice(0, 12)}`);
  });

  it("does not hold where what was signed is no certificate, whoever signed it", async () => {
    const given = certificateIn(file);
    const [check] = given.checks;
    for (const [payload, why] of [
      [{}, "What was signed is no certificate: it must have required property 'version'."],
      [[], "What was signed is no certificate: it must be object."],
      [null, "What was signed is no certificate: it must be object."],
      [{ ...given, soak: {} }, "What was signed is no certificate: soak must have required property 'seed'."],
      [
        { ...given, self_attested: false },
        "What was signed is no certificate: it must have required property 'witness'.",
      ],
      [
        { ...given, expires: "never" },
        "What was signed is no certificate: expires must be a date-time with its offset, ",
      ],
      [{ ...given, expires: "2016-12-31T23:59:60Z" }, "It expired on 2016-12-31. Certify anew."],
      [{ ...given, version: 99 }, "It is a certificate of version 99, and this program knows version 1 alone."],
      [{ ...given, met: 1 }, "It has 1 of 2 that its profile asks for, and has to have all."],
      [{ ...given, checks: [{ ...check, outcome: "fail" }] }, "It was signed although these checks failed: AUTH-04."],
    ] as const) {
      const { path } = await signedAs(payload);
      const { stdout, stderr, code } = await verify(path);
      expect([stdout.includes("It holds"), stderr, code]).toEqual([false, expect.stringContaining(why), 1]);
      expect(JSON.parse((await verify(path, "--json")).stdout)).toMatchObject({ holds: false, trusted: false });
    }
  });

  it("is witnessed only where its key is trusted", async () => {
    const witness = {
      issuer: "https://sandbox.example.com",
      id: `crt_${"a".repeat(22)}`,
      team: "acme",
      attested: ["x"],
    };
    const { path, jwks } = await signedAs({ ...certificateIn(file), self_attested: false, witness });
    const unproven = await verify(path);
    expect([unproven.stdout, unproven.code]).toEqual([expect.stringMatching(/^Self-attested, until a key /m), 0]);
    expect(unproven.stdout).not.toContain("Witnessed by");
    const other = await verify(path, "--jwks", (await signedAs({})).jwks);
    expect([other.stdout.includes("Witnessed by"), other.code]).toEqual([false, 1]);
    const proven = await verify(path, "--jwks", jwks);
    expect([proven.stdout, proven.code]).toEqual([
      expect.stringContaining("Witnessed by https://sandbox.example.com, in worlds of the team acme"),
      0,
    ]);
    expect(proven.stdout).not.toContain("Self-attested");
    // The keys of a set name no issuer, so the one that is trusted may have signed any name.
    expect(proven.stdout).toMatch(
      /^It holds: .*, which is trusted\.\nThat https:\/\/sandbox\.example\.com is its issuer is the certificate's own word: the key was not read there\.$/m,
    );
  });

  it("does not hold for another commit", async () => {
    const { stdout, stderr, code } = await verify(file, "--commit", "1234567");
    expect([stdout.includes("It holds"), stderr, code]).toEqual([
      ...[false, `It is of another commit: ${commit}, and not 1234567.\n`, 1],
    ]);
  });

  it("does not hold with a name that was edited", async () => {
    const jws = JSON.parse(readFileSync(file, "utf8"));
    const message = Buffer.from(jws.payload, "base64url").toString("utf8").replace('"kiosk"', '"xiosk"');
    const edited = join(beside, "edited.json");
    writeFileSync(edited, JSON.stringify({ ...jws, payload: Buffer.from(message).toString("base64url") }));
    const { stdout, stderr, code } = await verify(edited);
    expect([stdout, stderr, code]).toEqual([
      ...["", "It was changed after it was signed: the signature does not fit what it says.\n", 1],
    ]);
  });

  it.each([
    ["a PEM", "-----BEGIN PRIVATE KEY-----\n", /it is a PEM, and a private Ed25519 key as a JWK is needed\./],
    ["a key of RSA", '{ "kty": "RSA", "n": "AQAB", "e": "AQAB", "d": "AQAB" }', /it is a key of RSA, and /],
    ["no JSON", "secret", /is not valid JSON\./],
    ["a folder", undefined, /EISDIR|is no file|a folder/],
  ])("is not begun with a signing key that is %s", async (what, text, why) => {
    const key = join(beside, `key-${what.replaceAll(" ", "-")}`);
    if (text === undefined) mkdirSync(key);
    else writeFileSync(key, text);
    const output = join(beside, "never.json");
    const words = [...certify, "--profile", "kiosk", "--output", output, "--signing-key", key, "--", ...kiosk];
    const { stdout, stderr, code } = await runHere(words, env);
    expect([stdout, stderr, code]).toEqual(["", expect.stringMatching(why), 2]);
    expect(stderr).toContain("Name another file; one that is not there is made.");
    expect(existsSync(output)).toBe(false);
  });

  it("is not signed for a program that never calls, and --json says so in one document", async () => {
    const output = join(beside, "unsigned.json");
    const words = ["certify", "--json", "--profile", "reader", "--output", output, "--", process.execPath, "-e", "0"];
    const { stdout, code } = await runHere(words, env);
    expect([JSON.parse(stdout).exit_code, code, existsSync(output)]).toEqual([3, 3, false]);
  });

  it("that is not there is a wrong use", async () => {
    const { stderr, code } = await verify(join(beside, "none.json"));
    expect([stderr, code]).toEqual([expect.stringMatching(/none\.json can't be read: .*Name another file\.\n$/), 2]);
  });
});

describe("A profile that asks for books", () => {
  const clerk = join(beside, "clerk.mjs");
  const books = join(beside, "books.mjs");
  const own = join(beside, "clerk.yaml");
  const words = (output: string, command: string) => [
    ...["certify", "--profiles", own, "--profile", "clerk", "--output", output, "--books", command],
    ...["--", process.execPath, clerk],
  ];
  beforeAll(() => {
    writeFileSync(clerk, CLERK);
    writeFileSync(books, BOOKS);
    writeFileSync(
      own,
      "clerk:\n  for: Keeps books.\n  operations: [listJournalEntries]\n  pass: [AUTH-04]\n  books: true\n",
    );
  });

  it("has them held against the journal", async () => {
    const { stdout, stderr, code } = await runHere(
      words(join(beside, "clerk.json"), `"${process.execPath}" "${books}"`),
      env,
    );
    expect([code, stderr.split("\n").at(-2)]).toEqual([0, expect.stringMatching(/^It is in .*clerk\.json\.$/)]);
    expect(stdout).toMatch(/^Books: [1-9]\d* postings agree with [1-9]\d* entries of the journal\.$/m);
  });

  it("is not met by books that differ", async () => {
    const output = join(beside, "differing.json");
    const command = `"${process.execPath}" "${books}" BOOKING_REVENUE`;
    const { stdout, stderr, code } = await runHere(words(output, command), env);
    expect([code, stderr.split("\n").at(-2), existsSync(output)]).toEqual([
      ...[1, "Nothing is signed, since the books do not agree with the journal.", false],
    ]);
    expect(stdout).toContain("account");
    const again = await runHere(["certify", "--json", ...words(output, command).slice(1)], env);
    expect(JSON.parse(again.stdout)).toMatchObject({ agrees: false, exit_code: 1 });
    const broken = await runHere(["certify", "--json", ...words(output, "exit 1").slice(1)], env);
    expect(JSON.parse(broken.stdout)).toMatchObject({ no_judgement: { says: expect.any(String) }, exit_code: 3 });
  });

  it.each([
    [["--profile", "accounting"], "asks for books: say how the program prints its postings, as in `--books"],
    [["--profile", "reseller"], "asks for a soak: say how the program prints its own state, as in `--probe"],
    [["--profile", "reader", "--books", "x"], "--books is for books, which the profile reader does not ask for."],
  ])("says before anything runs what it needs: %s", async (given, says) => {
    const { stderr, code } = await runHere(["certify", ...given, "--", "node", "-e", "1"], env);
    expect([stderr, code]).toEqual([expect.stringContaining(says), 2]);
  });
});

describe("Nothing is signed", () => {
  it.each<[string, string[], number, RegExp]>([
    [
      "by an unknown profile",
      ["--profile", "kiosc", "--", ...kiosk],
      2,
      /^There is no profile kiosc\. Did you mean kiosk\?/,
    ],
    [
      "where the probe prints no JSON",
      ["--profile", "kiosk", "--probe", "echo hello", "--", ...kiosk],
      3,
      /The probe `echo hello` must print JSON, and printed "hello\\n"\.[\s\S]*Nothing is signed, since there is no verdict\./,
    ],
    [
      "where the probe fails",
      ["--profile", "kiosk", "--probe", "exit 4", "--", ...kiosk],
      3,
      /The probe failed: [\s\S]*Nothing is signed, since there is no verdict\./,
    ],
    [
      "for a program that never calls",
      ["--profile", "kiosk", "--", process.execPath, "-e", "1"],
      3,
      /The program never called the sandbox at http:[\s\S]*Nothing is signed, since there is no verdict\./,
    ],
  ])("%s", async (_, words, wanted, says) => {
    const output = join(beside, `${wanted}-${says.source.length}.json`);
    const { stdout, stderr, code } = await runHere([...certify, "--output", output, ...words], env);
    expect(`${stdout}${stderr}`.replaceAll(/ *\n +/g, " ")).toMatch(says);
    expect([existsSync(output), code]).toEqual([false, wanted]);
  });
});
