// What a profile asks for beside a verdict, with a witness: a month of business, and the program's own books. The sandbox holds what the
// program printed against its own records, and signs nothing where they differ, whatever the command has found.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { BOOKS, CLERK } from "../cli/clerk.ts";
import { runHere } from "../cli/in-process.ts";
import { type Postgres, postgresBin, startPostgres } from "./postgres-kit.ts";
import { openShared, type Shared } from "./teams-kit.ts";

const PROFILES = `clerk:
  for: Keeps books.
  operations: [listJournalEntries]
  pass: [AUTH-04]
  books: true
mirror:
  for: Knows what was booked.
  operations: [listBookings]
  pass: [AUTH-04]
  soak: { probe: [bookings] }
`;

const program = (name: string): string => fileURLToPath(new URL(`../verdict/soak/${name}`, import.meta.url));

// biome-ignore lint/suspicious/noExplicitAny: a body as the command sends it, to be made wrong
type Body = any;

describe.skipIf(!postgresBin)("A shared sandbox that witnesses", () => {
  const folder = mkdtempSync(join(tmpdir(), "beside-"));
  const [profiles, clerk, books] = ["profiles.yaml", "clerk.mjs", "books.mjs"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  let postgres: Postgres;
  let node: Shared;
  let developer: string;
  /** What the command would have liked to have said, while its worlds are there; by what is wrong with it. */
  let lies: (body: Body) => Record<string, Body>;
  let refused: Record<string, unknown>;
  const between = createServer({ keepAliveTimeout: 65_000 }, async (incoming, outgoing) => {
    const { method = "GET", url = "/", headers } = incoming;
    const bytes = Buffer.concat(await incoming.toArray());
    if (method === "POST" && url === "/_sandbox/certificates")
      for (const [what, body] of Object.entries(lies(JSON.parse(bytes.toString())))) {
        const { status, body: answer } = await node.ask(developer, "POST", "certificates", body);
        refused[what] = [status, answer.code, answer.message];
      }
    const through = request(node.url + url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    through.on("error", () => outgoing.destroy());
    through.end(bytes);
  });

  beforeAll(async () => {
    writeFileSync(profiles, PROFILES);
    writeFileSync(clerk, CLERK);
    writeFileSync(books, BOOKS);
    await new Promise<void>((resolve) => between.listen(0, "127.0.0.1", resolve));
    postgres = await startPostgres();
    const certificateKey = "a passphrase that is long enough";
    // As the guide asks for: the log of a month is long.
    const log = { logEntries: 20_000, logBytes: 64 * 1024 * 1024 };
    node = await openShared(await postgres.newDatabase(), { certificateKey, ...log });
    ({ developer } = await node.team("acme"));
  });
  afterAll(async () => {
    between.close();
    between.closeAllConnections();
    await node?.sandbox.close();
    await postgres?.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    lies = () => ({});
    refused = {};
  });

  const certify = async (profile: string, words: readonly string[], more: Record<string, string> = {}) => {
    const file = join(folder, `${profile}.json`);
    rmSync(file, { force: true });
    const url = `http://127.0.0.1:${(between.address() as AddressInfo).port}`;
    const environment = { SANDBOX_CONTROL_TOKEN: developer, PATH: process.env.PATH ?? "", ...more };
    const own = ["--profiles", profiles, "--profile", profile, "--fixture", "harbour-tours", "--output", file];
    const ran = await runHere(["certify", "--url", url, ...own, ...words], environment);
    return { ...ran, lastWords: ran.stderr.trimEnd().split("\n").at(-1), file };
  };
  const certified = (file: string): Body =>
    JSON.parse(Buffer.from(JSON.parse(readFileSync(file, "utf8")).payload, "base64url").toString());
  const worldsLeft = async () =>
    (await node.ask(developer, "GET", "worlds")).body.items.map(({ id }: { id: string }) => id);

  it("holds books against its own journal", async () => {
    lies = (body) => {
      const [first, ...others] = body.books.rows;
      return {
        "an amount of a cent more": {
          ...body,
          books: { ...body.books, rows: [{ ...first, amount: "0.01" }, ...others] },
        },
        "books left out": { ...body, books: undefined },
        "no row": { ...body, books: { ...body.books, rows: [] } },
        "the world of a run": { ...body, books: { ...body.books, world: body.runs[0].world } },
      };
    };
    const words = ["--books", `"${process.execPath}" "${books}"`, "--", process.execPath, clerk];
    const { code, stdout, stderr, lastWords, file } = await certify("clerk", words);
    expect([code, lastWords], stdout + stderr).toEqual([0, expect.stringMatching(/^It is in .*, and at /)]);
    const { rows, entries } = certified(file).books;
    expect(stdout).toContain(`Books: ${rows} postings agree with ${entries} entries of the journal.`);
    expect([rows > 10, entries > 5]).toEqual([true, true]);
    expect(stdout).toContain("the postings that the program printed");
    expect(refused).toEqual({
      "an amount of a cent more": reported(/^Nothing is signed, since the books do not agree with the journal\./),
      "books left out": reported(/^The profile clerk asks for books, and none were shown\./),
      "no row": reported(/^Nothing is signed, since the books /),
      "the world of a run": reported(/^World \S+ is named twice\./),
    });
    expect(await worldsLeft()).toEqual(["acme"]);
  });

  it("signs nothing for books that do not agree", async () => {
    const words = ["--books", `"${process.execPath}" "${books}" CASH`, "--", process.execPath, clerk];
    const { code, lastWords, stderr } = await certify("clerk", words);
    expect([code, lastWords], stderr).toEqual([
      1,
      expect.stringContaining("Nothing is signed, since the books do not agree with the journal."),
    ]);
    expect(await worldsLeft()).toEqual(["acme"]);
  });

  it.runIf(process.env.SANDBOX_LONG)(
    "holds what a program knows after a month against its own records",
    { timeout: 600_000 },
    async () => {
      lies = (body) => {
        const soaked = (soak: object) => ({ ...body, soak: { ...body.soak, ...soak } });
        const { bookings } = body.soak.state;
        // One that every program must know: a guest has booked it in the soak.
        const first = bookings.find(({ id }: Body) => id.startsWith("soak-guest-books-"));
        const others = bookings.filter((each: Body) => each !== first);
        return {
          "a booking forgotten": soaked({ state: { bookings: others } }),
          "a booking of another status": soaked({ state: { bookings: [{ ...first, status: "PENDING" }, ...others] } }),
          "another kind": soaked({ state: { events: [] } }),
          "longer than it was": soaked({ days: 60 }),
          "a soak left out": { ...body, soak: undefined },
        };
      };
      const words = ["--probe", `"${process.execPath}" "${program("state.mjs")}"`];
      const { code, stdout, stderr, lastWords, file } = await certify(
        "mirror",
        [...words, "--", process.execPath, program("mirror.mjs")],
        { STYLE: "changes", SANDBOX_DAY_MS: "400" },
      );
      expect([code, lastWords], stdout + stderr).toEqual([0, expect.stringMatching(/^It is in .*, and at /)]);
      const { soak } = certified(file);
      expect(soak).toMatchObject({ seed: "7", days: 30, rate: 1, scope: "changed", restarts: 3 });
      expect([soak.compared.bookings > 200, soak.calls > 100]).toEqual([true, true]);
      expect(refused).toEqual({
        "a booking forgotten": reported(
          /^Nothing is signed, since after 30 days of business 1 of .* bookings \S+: missing\./,
        ),
        "a booking of another status": reported(
          /^Nothing is signed, since after 30 days of business 1 of .* bookings \S+: stale\./,
        ),
        "another kind": reported(/^Nothing is signed/),
        "longer than it was": reported(/^The clock of world \S+ did not move by 60 days\./),
        "a soak left out": reported(/^The profile mirror asks for a soak, and none was shown\./),
      });
      expect(await worldsLeft()).toEqual(["acme"]);
    },
  );
});

const reported = (words: RegExp) => [409, "NOT_WITNESSED", expect.stringMatching(words)];
