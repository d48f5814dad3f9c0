// Worlds and their owners: two nodes on one database, in this process.
import { afterEach, describe, expect, it, vi } from "vitest";
import { isStoreError } from "../../src/engine/log/store-error.ts";
import type { RowChange as Change } from "../../src/engine/world/state/commit.ts";
import { listRowChanges, type State } from "../../src/engine/world/state/schema.ts";
import type { SharedStore } from "../../src/hosted/postgres/store.ts";
import { postgresBin, postgresOfTests, queryRows } from "./postgres-kit.ts";
import { openStore, type WrittenStore } from "./written-store.ts";

const row = (id: string, more: object = {}): Change => ["bookings", id, { id, ...more }];

/** World → collection → ids. */
const idsIn = (state: State) =>
  Object.fromEntries(
    Array.from(state, ([world, collections]) => [world, listRowChanges(collections).map(([, id]) => id)]),
  );

const refused = async (promise: unknown) => {
  const reason = await Promise.resolve(promise).then(
    () => undefined,
    (error: Error) => error,
  );
  expect(isStoreError(reason)).toBe(true);
  return reason?.message ?? "";
};

describe.skipIf(!postgresBin)("The owners of worlds", () => {
  const postgres = postgresOfTests();
  let database: string;
  const open: SharedStore[] = [];

  async function node(url = database): Promise<WrittenStore & { lostWorlds: string[] }> {
    const store = await openStore(url);
    open.push(store);
    const lostWorlds: string[] = [];
    store.queue.onLost = (worlds) => lostWorlds.push(...worlds);
    return Object.assign(store, { lostWorlds });
  }
  const taken = async (store: SharedStore, world: string) => {
    const found = await store.acquire(world);
    if (found.is !== "here") throw new Error(`it is ${found.is}`);
    return idsIn(found.state);
  };
  const requested = <R>(sql: string, values: unknown[] = []) => queryRows<R>(database, sql, values);
  /** As if its process had been killed 8 seconds ago. */
  const silence = (store: SharedStore) =>
    requested("update nodes set until = clock_timestamp() - interval '1 s' where id = $1", [store.registration.node]);

  afterEach(async () => {
    await Promise.all(open.splice(0).map((store) => store.close()));
  });

  async function twoNodes() {
    database = await postgres.newDatabase();
    return { a: await node(), b: await node() };
  }

  it("change when a node is silent, and additions of the former one are rejected", async () => {
    const { a, b } = await twoNodes();
    a.put({ load: "w", rows: [] });
    a.put({ load: "kept", rows: [] });
    await a.waitUntilDurable();
    await silence(a);
    expect(await taken(b, "w")).toEqual({ w: [] });
    a.put({ commit: "w", changes: [row("late")] });
    a.put({ commit: "kept", changes: [row("good")] });
    expect(await refused(a.waitUntilDurable("w"))).toContain("taken over");
    expect(a.lostWorlds).toContain("w");
    await refused(a.waitUntilDurable("w"));
    b.put({ commit: "w", changes: [row("now")] });
    await b.waitUntilDurable("w");
    await b.release("w");
    expect(await taken(b, "w")).toEqual({ w: ["now"] });
  });

  it("write the entries of a batch that are not lost, and no lost ones", async () => {
    const { a } = await twoNodes();
    for (const world of ["w", "x"]) a.put({ load: world, rows: [] });
    await a.waitUntilDurable();
    await requested("update worlds set owner = 'another', epoch = nextval('epochs') where id = 'w'");
    const put = (id: string, world: string) => a.put({ commit: world, changes: [row(id)] }).seq;
    const seqs = ["1", "2"].map((id) => [put(id, "w"), put(id, "x")][1]);
    const [w, x] = [a.waitUntilDurable("w"), a.waitUntilDurable("x")];
    await refused(w);
    await x;
    expect(a.lostWorlds).toEqual(["w"]);
    expect(await requested("select world, seq::int from journal where kind = 'change' order by world, seq")).toEqual(
      seqs.map((seq) => ({ world: "x", seq })),
    );
    // In a transaction of more than commits too.
    await requested("update worlds set owner = 'another', epoch = nextval('epochs') where id = 'x'");
    a.put({ load: "y", rows: [] });
    a.put({ clone: "x", as: "copy" });
    a.put({ commit: "x", changes: [row("3")] });
    const lost = [a.waitUntilDurable("x"), a.waitUntilDurable("copy")].map(refused);
    await a.waitUntilDurable("y");
    await Promise.all(lost);
    expect(await requested("select id from worlds order by id")).toEqual([{ id: "w" }, { id: "x" }, { id: "y" }]);
  });

  it("create one world of an id that two nodes create simultaneously", async () => {
    const { a, b } = await twoNodes();
    a.put({ load: "w", rows: [row("of-a")] });
    b.put({ load: "w", rows: [row("of-b")] });
    const outcomes = await Promise.allSettled([a.waitUntilDurable("w"), b.waitUntilDurable("w")]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect([...a.lostWorlds, ...b.lostWorlds]).toEqual(["w"]);
  });

  it("are many, and a crowd that wants one world has one owner", async () => {
    const { a, b } = await twoNodes();
    a.put({ load: "w", rows: [] });
    await a.release("w");
    for (let round = 0; round < 20; round++) {
      const found = await Promise.all([a.acquire("w"), b.acquire("w")]);
      expect(found.map(({ is }) => is).sort()).toEqual(["elsewhere", "here"]);
      const owner = found[0]?.is === "here" ? a : b;
      owner.put({ commit: "w", changes: [row(`b-${round}`)] });
      await owner.release("w");
    }
    expect((await taken(b, "w")).w).toHaveLength(20);
  });

  it("have complete copies, snapshots and removals after a change of owner", async () => {
    const { a, b } = await twoNodes();
    await requested("insert into teams (id, name) values ('team-a', 'A')");
    a.queue.findMaking = () => ({ team: "team-a" });
    a.put({ load: "w", rows: [row("one")] });
    a.put({ commit: "w", changes: [row("two")] });
    a.put({ clone: "w", as: "w@saved", changes: [row("mark")] });
    a.put({ commit: "w", changes: [["bookings", "one", null]] });
    a.put({ clone: "w", as: "fork", changes: [row("forked")] });
    a.put({ commit: "fork", changes: [row("more")] });
    a.put({ load: "gone", rows: [] });
    a.put({ clone: "gone", as: "gone@x" });
    a.put({ drop: "gone" });
    await a.releaseAllWorlds();
    expect(await taken(b, "w")).toEqual({ w: ["two"], "w@saved": ["mark", "one", "two"] });
    expect(await taken(b, "fork")).toEqual({ fork: ["forked", "more", "two"] });
    expect(await b.acquire("gone")).toEqual({ is: "unknown" });
    expect(await requested("select world from snapshots where world like 'gone%'")).toEqual([]);
    for (const team of [undefined, "team-a"]) expect((await b.list(team)).map(({ id }) => id)).toEqual(["fork", "w"]);
    expect(await b.list(null)).toEqual([]);
    // It begins anew, and its records go on counting.
    const { seq } = b.put({ load: "w", rows: [row("new")] });
    b.put({ commit: "w", changes: [row("newer")] });
    b.put({ drop: "w@saved" });
    await b.release("w");
    expect(await taken(b, "w")).toEqual({ w: ["new", "newer"] });
    expect(await requested("select seq::int from snapshots where world = 'w'")).toEqual([{ seq }]);
  });

  it("never reuse the numbers of a deleted world for a new one of the same id on another node", async () => {
    const [a, b] = [await node(), await node()];
    a.put({ load: "again", rows: [row("one")] });
    for (let count = 0; count < 5; count++) a.put({ commit: "again", changes: [row(`more-${count}`)] });
    const removal = a.put({ drop: "again" });
    await a.waitUntilDurable("again")?.catch(() => undefined);
    await vi.waitFor(async () => expect(await requested("select id from worlds where id = 'again'")).toEqual([]));
    expect(await b.acquire("again")).toEqual({ is: "unknown" });
    expect(b.put({ load: "again", rows: [row("new")] }).seq).toBeGreaterThan(removal.seq);
  });

  it("are not guessed: a world without one of its commits is reported", async () => {
    const { a, b } = await twoNodes();
    a.put({ load: "torn", rows: [] });
    const [, removed] = ["1", "2", "3"].map((id) => a.put({ commit: "torn", changes: [row(id)] }).seq);
    await a.releaseAllWorlds();
    await requested("delete from journal where world = 'torn' and seq = $1", [removed]);
    const why = expect.stringContaining(`lacks entry ${removed}`);
    expect(await b.acquire("torn")).toEqual({ is: "unreadable", why });
    expect(await b.locate("torn")).toMatchObject({ is: "free" });
  });

  it("are not taken by a user without permissions", async () => {
    database = await postgres.newDatabase();
    await requested("create role visitor login");
    expect(await refused(node(database.replace("sandbox@", "visitor@")))).toContain("permission denied");
  });
});
