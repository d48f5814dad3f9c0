// What a node says at its start about a database that it can use, with a database made by hand. Which of its conditions hold in which
// database is tested with a real one.
import { expect, it } from "vitest";
import type { Database } from "../../src/hosted/postgres/connection.ts";
import { findWarnings } from "../../src/hosted/postgres/start-checks.ts";

const URL = "postgres://sandbox@db.example.com/sandbox";

/** Its clock says 0. */
const databaseWith = (found: readonly (boolean | null)[]) =>
  ({
    query: async (_: string, values: unknown[]) => [{ now: 0, found: [values[0] && found[0], ...found.slice(1)] }],
  }) as Pick<Database, "query"> as Database;

const UNENCRYPTED =
  "The connection to the database is not encrypted: others on the network can read and change its data. Add ?sslmode=verify-full to the address, or ?sslmode=disable where the network is trusted.";
const clockIs = (off: string) =>
  `The clock of this machine is ${off} the database's: worlds use the clock of the database. Synchronise both (NTP).`;

it.each<[what: string, found: readonly (boolean | null)[], wall: number, url: string, warnings: string[]]>([
  ["nothing is wrong", [], 500, URL, []],
  ["it is on this machine, by its socket", [null], 0, URL, []],
  ["the connection from another machine is not encrypted", [true], 0, URL, [UNENCRYPTED]],
  ["that is what the address says", [true], 0, `${URL}?sslmode=disable`, []],
  [
    "it may lose what was acknowledged",
    [false, true, true, true],
    0,
    URL,
    [
      "The database has fsync off: a crash of its machine can lose acknowledged changes.",
      "The database has synchronous_commit off: a crash can lose acknowledged changes.",
      "The database has a standby that is not synchronous: a failover to it can lose acknowledged changes.",
    ],
  ],
  ["the clock of this machine is ahead", [], 501, URL, [clockIs("0.5 s ahead of")]],
  ["the clock of this machine is behind", [], -60_000, URL, [clockIs("60.0 s behind")]],
])("Warns if %s", async (_, found, wall, url, warnings) => {
  expect(await findWarnings(databaseWith(found), url, () => wall)).toEqual(warnings);
});
