// What a node says at its start about a database that it can use, with a database made by hand.
import { expect, it } from "vitest";
import type { Database } from "../../src/hosted/postgres/connection.ts";
import { findWarnings } from "../../src/hosted/postgres/start-checks.ts";

const URL = "postgres://sandbox@db.example.com/sandbox";

/** Its clock says 0. */
function databaseWith(found: Readonly<Record<string, boolean | null>>): Database {
  return {
    query: async () => [{ now: 0, ...found }] as never[],
    transaction: () => Promise.reject(new Error("nothing is changed")),
    close: async () => undefined,
  };
}

it.each<[what: string, found: Readonly<Record<string, boolean | null>>, wall: number, url: string, warnings: string[]]>(
  [
    ["nothing is wrong", {}, 500, URL, []],
    ["it is on this machine, by its socket", { is_unencrypted: null }, 0, URL, []],
    [
      "the connection from another machine is not encrypted",
      { is_unencrypted: true },
      0,
      URL,
      [
        "The connection to the database is not encrypted: others on the network can read and change its data. Add ?sslmode=verify-full to the address, or ?sslmode=disable where the network is trusted.",
      ],
    ],
    ["that is what the address says", { is_unencrypted: true }, 0, `${URL}?sslmode=disable`, []],
    [
      "it may lose what was acknowledged",
      { has_fsync_off: true, has_synchronous_commit_off: true, has_asynchronous_standby: true },
      0,
      URL,
      [
        "The database has fsync off: a crash of its machine can lose acknowledged changes.",
        "The database has synchronous_commit off: a crash can lose acknowledged changes.",
        "The database has a standby that is not synchronous: a failover to it can lose acknowledged changes.",
      ],
    ],
    [
      "the clock of this machine is ahead",
      {},
      501,
      URL,
      [
        "The clock of this machine is 0.5 s ahead of the database's: worlds use the clock of the database. Synchronise both (NTP).",
      ],
    ],
    [
      "the clock of this machine is behind",
      {},
      -60_000,
      URL,
      [
        "The clock of this machine is 60.0 s behind the database's: worlds use the clock of the database. Synchronise both (NTP).",
      ],
    ],
  ],
)("Warns if %s", async (_, found, wall, url, warnings) => {
  expect(await findWarnings(databaseWith(found), url, () => wall)).toEqual(warnings);
});
