// Worlds of one fixture share what they have in common: in the database each takes a few kB.
import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { State } from "../../src/engine/log/entry.ts";
import type { RowChange } from "../../src/engine/world/state/commit.ts";
import { rowsOf } from "../../src/engine/world/state/world.ts";
import { openDatabase } from "../../src/hosted/postgres/open.ts";
import { removeUnused } from "../../src/hosted/postgres/templates.ts";
import { makeSandbox } from "../../src/sandbox.ts";
import { type Postgres, postgresBin, startPostgres } from "./postgres-kit.ts";

const textsOf = (rows: Iterable<readonly [string, object]>) =>
  Array.from(rows, ([name, row]) => `${name} ${JSON.stringify(row)}`).sort();

const textsIn = (state: State, world: string) =>
  textsOf(
    [...state]
      .filter(([id]) => id === world)
      .flatMap(([, collections]) =>
        [...collections].flatMap(([name, rows]) => [...rows].map((row) => [name, row] as const)),
      ),
  );

describe.skipIf(!postgresBin)("Worlds of one fixture", () => {
  let postgres: Postgres;
  let client: Client;
  let database: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    database = await postgres.newDatabase();
    client = new Client({ connectionString: database });
    await client.connect();
  });
  afterAll(async () => {
    await client?.end();
    await postgres?.close();
  });
  const node = () =>
    openDatabase(database, {
      waitFor: 5,
      newId: randomUUID,
      credentialKey: "key",
      url: () => "http://node",
      version: "test",
      wall: Date.now,
      warn: () => undefined,
    });
  const one = async (sql: string, values: unknown[] = []) => (await client.query(sql, values)).rows[0];

  it("take less than 10 kB each, and are what they were when another node opens them", async () => {
    const { store } = await node();
    const sandbox = await makeSandbox({ fixture: "harbour-tours" });
    const made = new Map<string, RowChange[]>();
    for (let count = 0; count < 10; count++) {
      const world = sandbox.application.states.create({ fixture: "harbour-tours" });
      made.set(world.id, [...rowsOf(world.copy())]);
      store.append({ load: world.id, rows: made.get(world.id) ?? [] });
    }
    const [first = "", second = ""] = made.keys();
    const gone = made.get(first)?.find(([name]) => name === "bookings") as RowChange;
    store.append({ commit: first, changes: [[gone[0], gone[1], null]] });
    store.append({ clone: first, as: `${first}@saved` });
    store.append({ load: second, rows: made.get(first) ?? [] });
    await store.handOver();
    await sandbox.close();

    expect(await one("select count(*)::int as templates from templates")).toEqual({ templates: 1 });
    const { most } = await one(
      `select max((select sum(pg_column_size(s.*)) from snapshots s where s.world = w.id)
        + coalesce((select sum(pg_column_size(j.*)) from journal j where j.world = w.id), 0) + pg_column_size(w.*))::int as most
       from worlds w`,
    );
    expect(most).toBeLessThan(10_000);

    const { store: other } = await node();
    for (const [id, rows] of made) {
      const taken = await other.acquire(id);
      if (taken.is !== "here") throw new Error(`${id} is ${taken.is}`);
      const expected = (id === second ? made.get(first) : rows)?.filter((row) => id !== first || row !== gone) ?? [];
      expect(textsIn(taken.state, id)).toEqual(textsOf(expected.map(([name, , row]) => [name, row as object])));
      if (id === first) expect(textsIn(taken.state, `${id}@saved`)).toEqual(textsIn(taken.state, id));
    }
    await other.close();
    await store.close();
  }, 60_000);

  it("keep their template until the last of them is gone", async () => {
    const query = (async (sql: string, values: unknown[] = []) => {
      const { rows, rowCount } = await client.query(sql, values);
      return { rows, rowCount: rowCount ?? 0 };
    }) as Parameters<typeof removeUnused>[0];
    await client.query("update templates set created_at = now() - interval '2 hours'");
    expect(await removeUnused(query)).toBe(0);
    await client.query("delete from snapshots");
    expect(await removeUnused(query)).toBe(1);
  });
});
