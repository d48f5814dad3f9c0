// What is answered is in the database, and nothing is answered that is not: through kills of the server, pauses, and a second node
// that takes over.
import { describe, expect, it } from "vitest";
import { explainFailure } from "../../src/hosted/postgres/connection.ts";
import { crowd, eventually, furnish, nodesOfTests, openNode, reachedNode, startNode } from "./node.ts";
import { postgresBin, postgresOfTests, queryRows } from "./postgres-kit.ts";

describe.skipIf(!postgresBin)("A sandbox on PostgreSQL", () => {
  const postgres = postgresOfTests();
  const opened = nodesOfTests();

  it("takes over from a stopped node, and never responds from the memory of one that was paused", async () => {
    const database = await postgres.newDatabase();
    const first = await opened(openNode(database));
    await furnish(first);
    expect((await first.book()).status).toBe(201);
    const second = await opened(openNode(database));
    process.kill(first.pid, "SIGSTOP");
    await eventually(async () => expect((await second.book()).status).toBe(201));
    process.kill(first.pid, "SIGCONT");
    // It asks the second from now on.
    await eventually(async () => expect(await first.bookings()).toHaveLength(2));
    expect((await first.book()).status).toBe(201);
    expect(await second.bookings()).toHaveLength(3);
    await second.end("SIGTERM");
    await eventually(async () => expect((await first.book()).status).toBe(201));
    expect(await first.bookings()).toHaveLength(4);
  });

  it("creates checkpoints, after which only later commits are read", async () => {
    const database = await postgres.newDatabase();
    const node = await opened(openNode(database));
    await furnish(node);
    await node.act("updateExperience", { experience_id: "exp-tour", description: "x".repeat(1000) });
    let going = true;
    const booking = crowd(node, 16, () => going);
    const later = "select count(*)::int from journal j where j.world = s.world and j.seq > s.seq and j.kind = 'change'";
    const query = `select s.seq::int as seq, (${later}) as commits from snapshots s where s.world = 'default' and s.name = ''`;
    const readSnapshot = async () => (await queryRows<{ seq: number; commits: number }>(database, query))[0];
    try {
      // The first is that of its beginning.
      const { seq: first = 0 } = (await readSnapshot()) ?? {};
      await eventually(async () => expect((await readSnapshot())?.seq).toBeGreaterThan(first), 120_000);
      going = false;
      const { made } = await booking;
      const { commits = 0 } = (await readSnapshot()) ?? {};
      expect(commits).toBeLessThan(made.length);
      await node.end("SIGKILL");
      const again = await opened(openNode(database));
      const retained = new Set(await again.bookings());
      expect(made.filter((id) => !retained.has(id))).toEqual([]);
    } finally {
      going = false;
    }
  });

  it("requires the control token from every caller, also on this machine", async () => {
    const node = await opened(openNode(await postgres.newDatabase()));
    expect((await fetch(`${node.url}/_sandbox/worlds`)).status).toBe(401);
    expect((await node.control("GET", "worlds")).status).toBe(200);
  });

  it("does not start beside nodes with another control token, and does after they are stopped or killed", async () => {
    const database = await postgres.newDatabase();
    const other = ["--control-token", "another-control-token"];
    const both = await Promise.all([opened(openNode(database)), opened(openNode(database))]);
    const refused = await startNode(database, other).ended;
    const printed = refused.stdout + refused.stderr;
    expect([refused.code, both.some(({ url }) => printed.includes(`The node ${url} uses the database`))]).toEqual([
      1,
      true,
    ]);
    expect(printed).toContain("with another control token, and all nodes need the same");
    const [first, second] = both;
    await first?.end("SIGTERM");
    await second?.end("SIGKILL");
    // The heartbeat of the one that was killed is old after eight seconds.
    await new Promise((resolve) => setTimeout(resolve, 8500));
    await (await opened(reachedNode(startNode(database, other)))).end("SIGTERM");
  });

  it("warns of an asynchronous standby at the start, also for a user without permission to see it", async () => {
    await postgres.asked("create role plain login");
    await postgres.asked("create database of_plain owner plain");
    const behind = await postgres.standby(false);
    try {
      const node = startNode(`postgres://plain@127.0.0.1:${postgres.port}/of_plain`);
      await node.shows("standby that is not synchronous");
      node.child.kill("SIGKILL");
      await node.ended;
    } finally {
      await behind.close();
    }
  });

  it("reports a missing password", () => {
    const refused = (code: string, message: string) => explainFailure(Object.assign(new Error(message), { code }));
    expect(refused("", "SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string")).toContain(
      "it requires a password, and the address has none",
    );
  });

  it("reports at the start what is wrong with the database", async () => {
    const nowhere = await startNode("postgres://sandbox@127.0.0.1:1/none", ["--wait-for", "1"]).ended;
    expect(nowhere.stdout + nowhere.stderr).toContain("can't be reached: connect ECONNREFUSED 127.0.0.1:1. Waited 1 s");
    const database = await postgres.newDatabase();
    const missing = await startNode(`${database}-not`, ["--wait-for", "0"]).ended;
    expect(missing.stdout + missing.stderr).toMatch(/database ".*-not" does not exist/);
    const plain = await startNode(`${database}?sslmode=verify-full`, ["--wait-for", "0"]).ended;
    expect(plain.stdout + plain.stderr).toContain("can't be reached: The server does not support SSL connections");
    const both = await startNode(database, ["--memory"]).ended;
    expect(both.code).toBe(2);
    expect(both.stdout + both.stderr).toContain("--database keeps the state in a database, so --memory does not apply");
    await (await opened(openNode(database))).end("SIGTERM");
    await queryRows(database, "insert into migrations values (99, now(), 'later')");
    const newer = await startNode(database).ended;
    expect(newer.stdout + newer.stderr).toContain("tables of a newer version");
  });
});
