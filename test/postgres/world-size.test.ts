// What a world takes in the database, and worlds that version 0.2.0 has written.
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { RowChange as Change } from "../../src/engine/world/state/commit.ts";
import { listRowChanges, type State } from "../../src/engine/world/state/schema.ts";
import { STEPS } from "../../src/hosted/postgres/tables.ts";
import { makeSandbox } from "../../src/sandbox.ts";
import { postgresBin, postgresOfTests, queryRows } from "./postgres-kit.ts";
import { OPERATOR, openShared } from "./teams-kit.ts";
import { openStore } from "./written-store.ts";

/** Memory has the position of a key first. */
const textsOf = (rows: Iterable<readonly [string, object]>) =>
  Array.from(rows, ([name, row]) => `${name} ${JSON.stringify(Object.entries(row).sort())}`).sort();

const textsIn = (state: State, world: string) =>
  textsOf(
    [...state]
      .filter(([id]) => id === world)
      .flatMap(([, collections]) => listRowChanges(collections).map(([name, , row]) => [name, row as object] as const)),
  );

const SIZES = `select max((select sum(pg_column_size(s.*)) from snapshots s where s.world = w.id)
  + coalesce((select sum(pg_column_size(j.*)) from journal j where j.world = w.id), 0) + pg_column_size(w.*))::int as most
  from worlds w`;

describe.skipIf(!postgresBin)("A world of a fixture", () => {
  const postgres = postgresOfTests();
  const rowsOfFixture = async (): Promise<Change[]> => {
    const sandbox = await makeSandbox({ fixture: "harbour-tours" });
    try {
      const world = sandbox.application.worlds.get("default");
      return world ? listRowChanges(world.copy()) : [];
    } finally {
      await sandbox.close();
    }
  };

  it("has less than 150 kB, and is the same when another node opens it", async () => {
    const database = await postgres.newDatabase();
    const { sandbox } = await openShared(database, { clock: undefined });
    const { states } = sandbox.running.application;
    for (let count = 0; count < 10; count++) states.create({ fixture: "harbour-tours" });
    await sandbox.close();
    const [{ most }] = (await queryRows<{ most: number }>(database, SIZES)) as [{ most: number }];
    console.log(`a world of harbour-tours takes ${most} bytes`);
    expect(most).toBeLessThan(150_000);

    const store = await openStore(database);
    const rows = await rowsOfFixture();
    store.put({ load: "w", rows });
    const gone = rows.find(([name]) => name === "bookings") as Change;
    store.put({ commit: "w", changes: [[gone[0], gone[1], null]] });
    store.put({ clone: "w", as: "w@saved" });
    await store.releaseAllWorlds();
    const other = await openStore(database);
    const taken = await other.acquire("w");
    if (taken.is !== "here") throw new Error(`it is ${taken.is}`);
    const expected = rows.filter((row) => row !== gone).map(([name, , row]) => [name, row as object] as const);
    expect(textsIn(taken.state, "w")).toEqual(textsOf(expected));
    expect(textsIn(taken.state, "w@saved")).toEqual(textsIn(taken.state, "w"));
    await Promise.all([store.close(), other.close()]);
  }, 60_000);

  it("of version 0.2.0 is read with its template and its commits, and rewritten", async () => {
    const database = await postgres.newDatabase();
    const query = (sql: string, values: unknown[] = []) => queryRows<object>(database, sql, values);
    await query("create table migrations (id int primary key, at timestamptz not null, checksum text not null)");
    for (const [index, sql] of STEPS.slice(0, 2).entries()) {
      await query(sql);
      const checksum = createHash("sha256").update(sql).digest("hex").slice(0, 16);
      await query("insert into migrations values ($1, now(), $2)", [index + 1, checksum]);
    }
    // As released: a changed step would be rejected by the databases that have it.
    const checksums = await query("select checksum from migrations order by id");
    expect(checksums).toEqual([{ checksum: "4bde604336556ab4" }, { checksum: "a2eab179c813f66d" }]);
    const rows = await rowsOfFixture();
    const isOwn = ([name]: Change) => ["identity", "clock", "counters", "keys", "tokens"].includes(name);
    const gone = rows.find(([name]) => name === "bookings") as Change;
    const body = (changes: readonly unknown[]) =>
      gzipSync(`${changes.map((each) => JSON.stringify(each)).join("\n")}\n`);
    const hash = Buffer.from("00ff", "hex");
    const shared = rows.filter((row) => !isOwn(row));
    const own = [...rows.filter(isOwn), [gone[0], gone[1], null]];
    const template = [hash, body(shared)];
    await query("insert into templates (hash, key, format, body) values ($1, 'key', 1, $2)", template);
    await query("insert into worlds (id, epoch) values ('old', nextval('epochs'))");
    const snapshot =
      "insert into snapshots (world, name, seq, format, template, body) values ('old', $1, $2, 1, $3, $4)";
    await query(snapshot, ["", 5, hash, body(own)]);
    // A named snapshot ended with its commits, a list of changes on a line.
    await query(snapshot, ["saved", 6, hash, Buffer.concat([body(own), body([[gone]])])]);
    const commit = "insert into journal (world, seq, epoch, format, record) values ('old', $1, 1, 1, $2)";
    await query(commit, [6, JSON.stringify([["bookings", "one", { id: "one" }]])]);
    await query(commit, [7, JSON.stringify([["bookings", "one", null]])]);

    for (const round of [1, 2]) {
      const store = await openStore(database);
      const taken = await store.acquire("old");
      if (taken.is !== "here") throw new Error(`it is ${taken.is}`);
      const all = (changes: readonly Change[]) => textsOf(changes.map(([name, , row]) => [name, row as object]));
      expect(textsIn(taken.state, "old")).toEqual(all(rows.filter((row) => row !== gone)));
      expect(textsIn(taken.state, "old@saved")).toEqual(all(rows));
      await store.close();
      if (round === 2) break;
      const shared = await openShared(database, { clock: undefined });
      const history = await shared.ask(OPERATOR, "GET", "history?world=old");
      expect(history.body.kept.began).toMatchObject({ seq: 8, why: "opened" });
      await shared.sandbox.close();
      expect(await query("select seq from journal where world = 'old' and format = 1")).toEqual([]);
      const rewritten = await query(
        "select template, format, seq::int from snapshots where world = 'old' and name = ''",
      );
      expect(rewritten).toEqual([{ template: null, format: 2, seq: 8 }]);
    }
  }, 60_000);
});
