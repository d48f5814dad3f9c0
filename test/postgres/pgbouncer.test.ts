// Three nodes behind a pgbouncer that pools transactions: the next statement may go by another connection, and there are fewer of them than
// the nodes have. Everything works as without one, also while it or the server behind it ends.
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { furnished, type HostedWorld, waitAndListBookings } from "./clients.ts";
import { ask, type Cluster, startCluster } from "./cluster.ts";
import { eventually } from "./node.ts";
import { type Pgbouncer, pgbouncerBin, startPgbouncer } from "./pgbouncer-kit.ts";
import { type Postgres, startPostgres } from "./postgres-kit.ts";

const PLENTY = 1_000_000;

describe.skipIf(!pgbouncerBin)("Nodes behind a pgbouncer that pools transactions", () => {
  let postgres: Postgres;
  let pgbouncer: Pgbouncer;
  let cluster: Cluster;
  let worlds: HostedWorld[];
  beforeAll(async () => {
    postgres = await startPostgres();
    const database = await postgres.newDatabase();
    pgbouncer = await startPgbouncer(postgres.port, 4);
    // They make the tables, all at once.
    cluster = await startCluster(pgbouncer.through(database));
    worlds = await Promise.all(
      Array.from({ length: 6 }, (_, index) => furnished(cluster.nodes[index % 3]?.url ?? "", PLENTY)),
    );
  });
  afterAll(async () => {
    await cluster?.close();
    await pgbouncer?.close();
    await postgres?.close();
  });

  /** Clients that book through any node while `work` goes on; what was acknowledged is there afterwards, and nothing was answered 500. */
  async function under(work: () => Promise<void>): Promise<{ made: number; refused: number }> {
    let [going, refused] = [true, 0];
    const load = worlds.map(async (world) => {
      const made: string[] = [];
      while (going) {
        const { status, body } = await world.book(cluster.any().url);
        if (status === 201) made.push(body.id);
        else {
          expect([0, 503]).toContain(status);
          refused += 1;
          await pause(50);
        }
      }
      return made;
    });
    await work();
    await Promise.all(
      worlds.map((world) => eventually(async () => expect((await world.book(cluster.any().url)).status).toBe(201))),
    );
    going = false;
    const made = await Promise.all(load);
    for (const [index, world] of worlds.entries()) {
      const retained = (await waitAndListBookings(world, cluster.any().url)).map(({ id }) => id);
      expect(new Set(retained).size).toBe(retained.length);
      expect((made[index] ?? []).filter((id) => !retained.includes(id))).toEqual([]);
    }
    return { made: made.flat().length, refused };
  }

  it("book, read their writes through any other, and reject nothing", async () => {
    const { made, refused } = await under(() => pause(2000));
    expect([made > 0, refused]).toEqual([true, 0]);
    const [world] = worlds as [HostedWorld];
    for (let times = 0; times < 20; times++) {
      const { body } = await world.book(cluster.any().url);
      expect((await world.get(cluster.any().url, `/v1/bookings/${body.id}`)).status).toBe(200);
    }
  });

  it("fork, save, restore, reset and delete worlds, and store teams and their tokens", async () => {
    const { url } = cluster.nodes[0] ?? { url: "" };
    const { id } = worlds[1] as HostedWorld;
    const statuses: [string, number][] = [];
    const sent = async (path: string, body?: unknown, method = "POST") => {
      const answer = await ask(url, `/_sandbox/${path}`, { method, ...(body === undefined ? {} : { body }) });
      statuses.push([path.replace(id, "w"), answer.status]);
      return answer.body;
    };
    const { items } = await sent(`worlds/${id}/fork`, { count: 2 });
    const [{ id: fork }] = items;
    await sent(`snapshots/before?world=${fork}`, undefined, "PUT");
    await sent(`state/reset?world=${fork}`);
    await sent(`snapshots/before/restore?world=${fork}`);
    await sent(`worlds/${fork}`, undefined, "DELETE");
    await sent("teams", { id: "pooled", quotas: { worlds: 3, requests_per_minute: 1000 } });
    const { token } = await sent("teams/pooled/tokens", { role: "developer", subject: "anna" });
    expect(statuses.map(([, status]) => status)).toEqual([201, 200, 200, 200, 204, 201, 201]);
    const of = (node: number) => ask(cluster.nodes[node]?.url ?? "", "/_sandbox/me", { token });
    expect([(await of(0)).status, (await of(1)).status, (await of(2)).status]).toEqual([200, 200, 200]);
  });

  it("lose nothing when pgbouncer or the server is killed", async () => {
    await under(async () => {
      await pause(500);
      await pgbouncer.kill();
      await pause(1000);
      await pgbouncer.start();
      await pause(2000);
      await postgres.kill();
      await postgres.start();
    });
  });

  it("leave nothing on its connections: no statement, lock, or session setting", async () => {
    const client = new Client({ connectionString: pgbouncer.through(`postgres://sandbox@127.0.0.1:1/test_1`) });
    await client.connect();
    const requested = async (sql: string) => (await client.query(sql)).rows[0];
    for (const from of ["pg_prepared_statements", "pg_locks where locktype = 'advisory'", "pg_listening_channels()"])
      expect(await requested(`select count(*)::int as left from ${from}`), from).toEqual({ left: 0 });
    expect(await requested("show statement_timeout")).toEqual({ statement_timeout: "0" });
    await client.end();
  });
});
