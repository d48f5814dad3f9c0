// Quotas of a team that is asked for on two nodes at once, with a real PostgreSQL.
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { postgresBin, queryRows } from "./postgres-kit.ts";
import { OPERATOR, type Shared, sharedOfTests } from "./teams-kit.ts";

describe.skipIf(!postgresBin)("A team on two nodes", () => {
  const here = sharedOfTests({ clock: undefined }, 2);
  const nodes = here.nodes as [Shared, Shared];
  const queried = <R>(sql: string) => queryRows<R>(here.database, sql);
  const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 30_000, interval: 100 });
  /** Seconds of the database's minute; a quota of a minute is tested within one. */
  const wellWithinAMinute = async () => {
    const left = async () => {
      const [row] = await queried<{ left: number }>("select (60 - extract(second from now()))::float8 as left");
      return row?.left ?? 0;
    };
    for (let seconds = await left(); seconds < 25; seconds = await left()) await pause(seconds * 1000 + 100);
  };
  const burst = (token: string, times: number, [a, b]: [Shared, Shared] = nodes) =>
    Promise.all(Array.from({ length: times }, (_, index) => (index % 2 ? a : b).ask(token, "GET", "me")));
  const letIn = (answers: readonly { status: number }[]) => answers.filter(({ status }) => status === 200).length;

  it("has its quota of requests per minute on each node at once, and no more after the nodes exchange counts", {
    timeout: 120_000,
  }, async () => {
    const { developer } = await nodes[0].team("many", { requests_per_minute: 30 });
    await wellWithinAMinute();
    const first = await burst(developer, 200);
    // Each node lets in what the quota says, since it knows nothing of the other one yet; neither lets in one more.
    expect(letIn(first)).toBeGreaterThanOrEqual(30);
    expect(letIn(first)).toBeLessThanOrEqual(60);
    await eventually(async () => {
      const found = await queried("select sum(requests)::int as requests from used where team = 'many'");
      expect(found).toEqual([{ requests: letIn(first) }]);
    });
    const { usage } = (await nodes[0].ask(OPERATOR, "GET", "teams/many")).body;
    expect(usage.requests_per_minute).toBe(letIn(first));
    await pause(2500);
    expect(letIn(await burst(developer, 20))).toBe(0);
    // What is raised holds on both, though neither has let anybody in meanwhile.
    const most = letIn(first) + 10;
    expect(
      (await nodes[1].ask(OPERATOR, "PUT", "teams/many/quotas", { requests_per_minute: most })).body.quotas,
    ).toEqual({ requests_per_minute: most });
    await pause(2600);
    expect(letIn(await burst(developer, 5, [nodes[0], nodes[0]]))).toBe(5);
    await pause(2600);
    expect(letIn(await burst(developer, 20, [nodes[1], nodes[1]]))).toBe(5);
  });

  it("writes nothing more in any world, on any node, ten seconds after its bytes are used up", {
    timeout: 120_000,
  }, async () => {
    const { developer } = await nodes[0].team("wide", { bytes: 1_000_000 });
    const made = await Promise.all(
      ["wide-a", "wide-b"].map((id, index) =>
        (nodes[index] as Shared).ask(developer, "POST", "worlds", { id, fixture: "empty" }),
      ),
    );
    expect(made.map(({ status }) => status)).toEqual([201, 201]);
    const [size] = await queried<{ bytes: number }>(
      `select coalesce(sum(pg_column_size(record)), 0)::int as bytes from journal where world like 'wide-%'`,
    );
    await nodes[0].ask(OPERATOR, "PUT", "teams/wide/quotas", { bytes: (size?.bytes ?? 0) + 5000 });
    const write = (index: number) =>
      (nodes[index % 2] as Shared).ask(developer, "POST", `acts/createKey?world=wide-${index % 4 < 2 ? "a" : "b"}`, {
        name: `key ${index}`,
        scopes: ["event.read"],
      });
    const statuses = new Set<number>();
    for (let round = 0; !statuses.has(409) && round < 60; round++) {
      const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => write(index)));
      for (const { status } of answers) statuses.add(status);
      await pause(500);
    }
    expect([...statuses].sort()).toEqual([200, 409]);
    await pause(10_500);
    const after = await Promise.all(Array.from({ length: 8 }, (_, index) => write(index)));
    expect(after.map(({ status }) => status)).toEqual(Array(8).fill(409));
    expect((await nodes[1].ask(developer, "DELETE", "worlds/wide-b")).status).toBe(204);
    await nodes[0].ask(OPERATOR, "PUT", "teams/wide/quotas", { bytes: 1_000_000 });
    await pause(10_500);
    expect((await write(0)).status).toBe(200);
  });
});
