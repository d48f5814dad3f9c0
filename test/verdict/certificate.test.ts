// A certificate: signed for what was shown and for nothing less, and refused in words when a letter, the commit, the day or the key is another.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import {
  type Certificate,
  certificateOf,
  newKey,
  readKey,
  signed,
  verified,
  whyBooksUnsigned,
  whySoakUnsigned,
  whyUnsigned,
} from "../../src/verdict/certificate/index.ts";
import type { Verdict } from "../../src/verdict/index.ts";
import { type Profile, profiles } from "../../src/verdict/profiles/index.ts";
import type { Soak } from "../../src/verdict/soak/index.ts";

const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const AT = Date.parse("2030-06-01T12:00:00.000Z");
const DAY = 86_400_000;
const evidence = [{ id: "req-1", says: "GET listEvents → 200" }];
const result = {
  id: "AUTH-04",
  level: "must",
  title: "",
  outcome: "pass",
  says: "",
  evidence,
  rule: "",
  advice: "",
  again: "",
  took_ms: 1,
};
const profile = { name: "clerk", for: "Lists.", hash: "ab", of: 2, met: 2, gaps: [], wishes: [] };
const VERDICT = {
  ...{ version: 1, command: ["npm", "start"], seed: "7", results: [result], no_verdict: null, profile, exit_code: 0 },
  sandbox: { version: "0.2.0", fixture: "harbour-tours", flips: ["a=b"], specification: "cd", register: "ef" },
  counts: { fail: 0, warn: 0, undecided: 0, "not-exercised": 0, pass: 1, ignored: 0 },
  ...{ at: new Date(AT).toISOString(), took_ms: 1 },
} as unknown as Verdict;
const subject = { name: "shop", version: "1.2.0", commit: COMMIT, clean: true };

let text: string;
let key: Awaited<ReturnType<typeof newKey>>;
let certificate: Certificate;
beforeAll(async () => {
  key = await newKey();
  certificate = certificateOf(VERDICT, { subject, fixtureHash: "99" });
  text = await signed(certificate, key);
});
const publicOf = ({ kty, crv, x }: Awaited<ReturnType<typeof newKey>>) => ({ kty, crv, x }) as typeof key;
const problemsOf = async (more: Partial<Parameters<typeof verified>[1]>, of = text) =>
  (await verified(of, { now: AT + DAY, ...more })).faults;

it("says what was judged, with what, and until when", async () => {
  const found = await verified(text, { now: AT });
  expect(found).toMatchObject({ faults: [], certificate });
  expect(found.certificate).toEqual({
    ...{ version: 1, self_attested: true, subject, command: ["npm", "start"], of: 2, met: 2 },
    profile: { name: "clerk", for: "Lists.", hash: "ab" },
    ...{ sandbox: "0.2.0", specification: "cd", register: "ef", fixture: { name: "harbour-tours", hash: "99" } },
    ...{ seed: "7", flips: ["a=b"] },
    checks: [{ id: "AUTH-04", outcome: "pass", evidence: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    ...{ soak: null, books: null },
    ...{ issued: "2030-06-01T12:00:00.000Z", expires: "2030-08-30T12:00:00.000Z" },
  });
  expect(text).not.toContain(JSON.stringify(key.d).slice(1, -1));
});

it("holds for its commit and its issuer, for ninety days", async () => {
  const other = publicOf(await newKey());
  expect(await problemsOf({ commit: COMMIT.slice(0, 7), jwks: [other, publicOf(key)], now: AT + 90 * DAY })).toEqual(
    [],
  );
  expect(await problemsOf({ now: AT + 90 * DAY + 1 })).toEqual(["It expired on 2030-08-30. Certify anew."]);
  expect(await problemsOf({ now: AT - DAY })).toEqual(["It was issued at 2030-06-01T12:00:00.000Z, which is to come."]);
  expect(await problemsOf({ jwks: [other] })).toEqual([expect.stringMatching(/^Another issuer signed it: its key /)]);
  expect(await problemsOf({ jwks: [] })).toEqual([expect.stringMatching(/^Another issuer/)]);
  expect(await problemsOf({ commit: "fedcba9" })).toEqual([`It is of another commit: ${COMMIT}, and not fedcba9.`]);
  expect(await problemsOf({ commit: "012345" })).toEqual([expect.stringMatching(/^It is of another commit/)]);
  const of = async (given: object) => signed({ ...certificate, subject: { ...subject, ...given } }, key);
  expect(await problemsOf({ commit: COMMIT }, await of({ clean: false }))).toEqual([
    `It is of commit ${COMMIT} with changes that are not in it.`,
  ]);
  expect(await problemsOf({ commit: COMMIT }, await of({ commit: null, clean: null }))).toEqual([
    expect.stringMatching(/^It names no commit/),
  ]);
});

it("does not hold with one byte changed, wherever it is", async () => {
  const bytes = Buffer.from(text);
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 33, max: 126 }), async (at, byte) => {
      fc.pre(bytes[at] !== byte);
      const changed = Buffer.from(bytes);
      changed[at] = byte;
      const { certificate: read, faults } = await verified(changed.toString("utf8"), { now: AT });
      expect([read, faults]).toEqual([undefined, [expect.stringMatching(/^It (was changed|is no certificate)/)]]);
    }),
    { numRuns: 150 },
  );
});

it("does not hold with a key or an algorithm that was put in its place", async () => {
  const [mine, theirs] = [JSON.parse(await signed(certificate, await newKey())), JSON.parse(text)];
  const none = Buffer.from(JSON.stringify({ alg: "none", typ: "sandbox-certificate+jws", kid: "x", jwk: {} }));
  const swapped = [
    { ...theirs, protected: mine.protected },
    { ...theirs, signature: mine.signature },
    { ...theirs, protected: none.toString("base64url"), signature: "" },
    { ...theirs, more: 1 },
    { ...theirs, payload: undefined },
  ];
  for (const each of [...swapped.map((one) => JSON.stringify(one)), "", "null", "[]", '"x"'])
    expect(await problemsOf({}, each)).toEqual([expect.stringMatching(/^It (was changed|is no certificate)/)]);
});

it.each<[string, object, string]>([
  ["never called", { no_verdict: { code: "NEVER_CALLED", says: "" } }, "there is no verdict"],
  ["failed", { exit_code: 1, counts: { ...VERDICT.counts, fail: 1 } }, "a check failed"],
  ["did not show all", { profile: { ...profile, met: 1, gaps: [{ what: "a", says: "b", close: "c" }] } }, "1 of 2"],
])("is not made for a program that %s", (_, given, says) => {
  const verdict = { ...VERDICT, ...given } as Verdict;
  expect(whyUnsigned(verdict)).toContain(`Nothing is signed, since ${says}`);
  expect(() => certificateOf(verdict, { subject, fixtureHash: "" })).toThrow(says);
});

const SOAK = {
  ...{ seed: "7", days: 30, rate: 1, scope: "own", restarts: 3, calls: 812, deliveries: 40 },
  ...{ compared: { bookings: 21 }, differences: [], no_judgement: null, story: [], exit_code: 0 },
} as unknown as Soak;
const reseller = profiles.find(({ name }) => name === "reseller") as Profile;

it("has the figures of a soak and of books", () => {
  const about = { subject, fixtureHash: "99", soak: SOAK, books: { rows: 12, entries: 5, findings: [] } };
  const { soak, books } = certificateOf(VERDICT, about);
  expect(soak).toEqual({
    ...{ seed: "7", days: 30, rate: 1, scope: "own", restarts: 3, calls: 812, deliveries: 40 },
    compared: { bookings: 21 },
  });
  expect(books).toEqual({ rows: 12, entries: 5 });
});

it.each<[string, object, string | undefined]>([
  ["knew all of it", {}, undefined],
  ["could not be judged", { no_judgement: { says: "It ended." } }, "there is no judgement of the soak: It ended."],
  ["held two otherwise", { differences: [{}, {}] }, "after 30 days of business 2 of the program's records are"],
  ["printed no bookings", { compared: { bookings: 0, orders: 3 } }, "the probe printed no bookings."],
])("is signed after a soak only where the program %s", (_, given, says) => {
  const why = whySoakUnsigned({ ...SOAK, ...given } as Soak, reseller);
  expect(why).toEqual(says === undefined ? undefined : expect.stringContaining(`Nothing is signed, since ${says}`));
});

it("is not signed for books that differ, nor for none", () => {
  expect(whyBooksUnsigned({ rows: 3, agrees: true })).toBeUndefined();
  expect(whyBooksUnsigned({ rows: 3, agrees: false })).toContain("do not agree with the journal");
  expect(whyBooksUnsigned({ rows: 0, agrees: true })).toContain("have no posting");
});

it("is signed by a private key of the right kind only", () => {
  expect(readKey(JSON.stringify(key))).toEqual(key);
  for (const [wrong, words] of [
    [JSON.stringify(publicOf(key)), "it is the public half of a key, and the private one is needed"],
    ["{}", "it is no JWK, and a private Ed25519 key is needed"],
    ["null", "it is no JWK"],
    [readFileSync("package.json", "utf8"), "it is no JWK"],
    [JSON.stringify({ kty: "RSA", n: "AQAB", e: "AQAB", d: "AQAB" }), "it is a key of RSA, and a private Ed25519 key"],
    [JSON.stringify({ ...key, crv: "Ed448" }), "it is a key of OKP Ed448, and a private Ed25519 key is needed"],
    ["-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----\n", "it is a PEM"],
  ] as const)
    expect(() => readKey(wrong)).toThrow(words);
});
