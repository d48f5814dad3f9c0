// What teams may use, who a token stands for, which versions a node waits for, and where the webhooks of a team may go: with rows made by
// hand, and a clock that is moved by hand.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createRegistry } from "../../src/engine/app/monitoring/metrics.ts";
import { makeNewerWorlds } from "../../src/hosted/ownership/newer-worlds.ts";
import { Principals } from "../../src/hosted/teams/principals.ts";
import { Quotas } from "../../src/hosted/teams/quotas.ts";
import type { FoundToken, TeamRow, Used, WorldSize } from "../../src/hosted/teams/team-rows.ts";
import { createWebhookLimits } from "../../src/hosted/teams/webhook-limits.ts";

const MINUTE = 60_000;
const ended: (() => unknown)[] = [];
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
  vi.useRealTimers();
});

describe("A team", () => {
  /** With another node that has used so much of the minute. */
  async function quotasOf(quotas: TeamRow["quotas"], others: Partial<Used> = {}, sizes: WorldSize[] = []) {
    const clock = { now: 10 * MINUTE + 15_500 };
    const sent: Used[] = [];
    const wire: { busy?: Promise<void>; isCut?: boolean } = {};
    const has = { worlds: 0 };
    const limits = new Quotas({
      now: () => clock.now,
      warn: (sentence) => expect(wire.isCut ? "" : sentence).toBe(""),
      store: {
        teams: async () => [{ id: "team", quotas, targets: ["10.1.2.3"] } as unknown as TeamRow],
        sizes: async () => sizes,
        countWorlds: async () => has.worlds,
        async addUsed(rows) {
          await wire.busy;
          if (wire.isCut) throw new Error("no answer");
          sent.push(...rows);
          return rows.map(({ team, requests }) => ({ team, requests: requests + (others.requests ?? 0) }));
        },
      },
    });
    ended.push(() => limits.close());
    await limits.load("team");
    const exchange = () => vi.advanceTimersByTimeAsync(2000);
    return { clock, limits, sent, has, exchange, wire, others };
  }

  it("makes so many requests in a minute on all nodes together, and the next minute as many again", async () => {
    const { clock, limits, sent, exchange } = await quotasOf({ requests_per_minute: 5 }, { requests: 2 });
    const requested = (times: number) => Array.from({ length: times }, () => limits.countRequest("team")?.seconds);
    expect(requested(2)).toEqual([undefined, undefined]);
    await exchange();
    expect(sent.at(-1)).toEqual({ team: "team", minute: 10, requests: 2 });
    expect(requested(2)).toEqual([undefined, 45]);
    expect(limits.countRequest("team")?.why).toBe(
      "Team team has made 5 requests in this minute, which is its quota. Wait 45 s. The operator can raise it with `sandbox team quota team --requests N`.",
    );
    clock.now = 11 * MINUTE;
    expect(requested(6)).toEqual([...Array(5).fill(undefined), 60]);
    expect(limits.countRequest("another")).toBeUndefined();
  });

  it("makes no request more while those it made are on their way to the other nodes, or did not get there", async () => {
    const { limits, exchange, wire, sent } = await quotasOf({ requests_per_minute: 3 });
    const isLetIn = () => limits.countRequest("team") === undefined;
    expect([isLetIn(), isLetIn()]).toEqual([true, true]);
    let arrive: () => void = () => undefined;
    wire.busy = new Promise((resolve) => {
      arrive = resolve;
    });
    await exchange();
    expect([isLetIn(), isLetIn()]).toEqual([true, false]);
    wire.isCut = true;
    arrive();
    await exchange();
    expect(isLetIn()).toBe(false);
    wire.isCut = false;
    sent.length = 0;
    await exchange();
    expect(sent).toEqual([{ team: "team", minute: 10, requests: 3 }]);
    expect(isLetIn()).toBe(false);
  });

  it("is looked up again before it is let in by what was known longer ago than two seconds", async () => {
    const { clock, limits, others } = await quotasOf({ requests_per_minute: 3 });
    others.requests = 3;
    expect([limits.load("team"), limits.countRequest("team")]).toEqual([undefined, undefined]);
    clock.now += 3000;
    await limits.load("team");
    expect(limits.countRequest("team")?.why).toContain("has made 3 requests");
    // The refused has nothing to tell; that its quota was raised, it is told all the same.
    clock.now += 3000;
    others.requests = 1;
    await limits.load("team");
    expect(limits.countRequest("team")).toBeUndefined();
  });

  it("has so many worlds, and not one more", async () => {
    const { limits, has } = await quotasOf({ worlds: 3 });
    const more = async (count: number) => (await limits.whyNotMoreWorlds("team", count))?.why.split(". ")[0];
    expect([await more(3), await more(4)]).toEqual([undefined, "Team team has 0 of 3 worlds, so it can't have 4 more"]);
    has.worlds = 3;
    expect(await more(1)).toBe("Team team has 3 of 3 worlds, so it can't have another");
  });

  it.each<[TeamRow["quotas"], why: string | undefined]>([
    [{ bytes: 31 }, undefined],
    [{ bytes: 30 }, "The worlds of team team take 30 bytes; its quota is 30"],
  ])("with %j may let its worlds grow: %s", async (quotas, why) => {
    const sizes = [
      { id: "w", bytes: 10 },
      { id: "v", bytes: 20 },
    ];
    const { limits } = await quotasOf(quotas, {}, sizes as WorldSize[]);
    expect(limits.whyNotGrow("team")?.why.split(". ")[0]).toBe(why);
  });

  it("has its requests, worlds and bytes in the metrics", async () => {
    const { limits } = await quotasOf({ requests_per_minute: 2 }, {}, [
      { id: "w", bytes: 10 },
      { id: "v", bytes: 20 },
    ]);
    // The third is rejected, and not counted.
    for (let count = 0; count < 3; count++) limits.countRequest("team");
    const registry = createRegistry();
    limits.registerMetrics(registry);
    const lines = (await registry.metrics()).split("\n").filter((line) => line.startsWith("sandbox_"));
    expect(lines).toEqual([
      'sandbox_team_requests_total{team="team"} 2',
      'sandbox_team_worlds{team="team"} 2',
      'sandbox_team_bytes{team="team"} 30',
    ]);
  });
});

describe("A token", () => {
  const row = (more: object): FoundToken =>
    ({
      ...{ id: "tok-1", team: "team", subject: "anna", role: "developer", is_member: true, used_at: null },
      ...{ now: "2030-06-01T09:00:00.000Z", revoked_at: null, expired: false, expires_at: null },
      ...more,
    }) as FoundToken;
  const principals = (found: FoundToken | undefined, used: string[] = []) =>
    new Principals({
      store: {
        findToken: async () => found,
        tokenUsed: async (hashed: string) => void used.push(hashed),
      } as never,
      controlToken: "control",
      isControlToken: (sent) => sent === "control",
      tokenIn: ({ authorization }) => (authorization as string | undefined)?.slice(7),
      sessionIn: () => undefined,
      newSecret: () => "secret",
      monotonic: () => 0,
      warn: (sentence) => expect(sentence).toBe(""),
    });
  const SENT = { authorization: `Bearer sbx_${"a".repeat(43)}` };

  it.each<[FoundToken | undefined, string]>([
    [row({ revoked_at: "yesterday" }), "The token tok-1 was revoked at yesterday."],
    [row({ expired: true, expires_at: "today" }), "The token tok-1 expired at today."],
    [row({ is_member: false }), "anna is no member of the team team any more."],
    [undefined, "The token is unknown."],
  ])("%o does not count, and it is said why", async (found, why) => {
    const own = principals(found);
    expect([await own.principalOf(SENT), (await own.rejectionOf(SENT)).why]).toEqual([undefined, why]);
  });

  it("is noted as used where it was not within the last minute", async () => {
    const noted = async (used_at: string | null) => {
      const used: string[] = [];
      await principals(row({ used_at }), used).principalOf(SENT);
      return used.length;
    };
    const at = ["2030-06-01T08:59:00.001Z", "2030-06-01T08:59:00.000Z", null];
    expect(await Promise.all(at.map(noted))).toEqual([0, 1, 1]);
  });

  it("that is none, and the control token", async () => {
    const own = principals(undefined);
    expect((await own.principalOf({ authorization: "Bearer control" }))?.role).toBe("operator");
    expect((await own.rejectionOf({})).why).toBe("There is no token.");
    expect((await own.rejectionOf({ authorization: "Bearer x" })).why).toMatch(/^The token is not the control token/);
  });
});

it("A node waits for those that can read what it can't, until somebody else has it or it is gone", async () => {
  const message: string[] = [];
  const where = new Map<string, "free" | "elsewhere" | "unknown">([["a", "free"]]);
  const newer = makeNewerWorlds({
    store: { where: async (world) => ({ is: where.get(world) ?? "free" }) as never },
    warn: (sentence) => void message.push(sentence),
  });
  const unreadable = (isNewer: boolean) => ({ is: "unreadable", why: "It is newer.", isNewer }) as never;
  newer.note("b", unreadable(false));
  expect(newer.why).toBeUndefined();
  for (let times = 0; times < 2; times++) newer.note("a", unreadable(true));
  await newer.lookAgain();
  expect([newer.why, message]).toEqual([
    "It is newer.",
    ["It is newer. Until then it is unready, and serves the worlds that it has."],
  ]);
  where.set("a", "elsewhere");
  await newer.lookAgain();
  expect(newer.why).toBeUndefined();
});

it("Webhooks of a team reach public addresses and what it was allowed; those of the operator are not limited", async () => {
  const owners = new Map<string, string | null>([
    ["own", null],
    ["of-team", "team"],
  ]);
  const known = { teamAtHand: (world: string) => owners.get(world), atHand: () => undefined } as never;
  const limits = createWebhookLimits({
    ...(known as object),
    limits: { findTargets: () => ["10.1.2.3"] },
  } as never);
  expect(limits.reach("own")).toBeUndefined();
  const reach = limits.reach("of-team");
  expect([reach?.key, reach?.why("10.1.2.3", "10.1.2.3"), reach?.why("a.test", "93.184.216.34")]).toEqual([
    ...["team 10.1.2.3", undefined, undefined],
  ]);
  expect(reach?.why("a.test", "10.9.9.9")).toBe(
    "a.test (10.9.9.9) is not a public address, and webhooks of the team team reach no others. The operator can allow it with `sandbox team allow team a.test`.",
  );
  expect(limits.reach("unknown")?.why("10.1.2.3", "10.1.2.3")).toMatch(/^10\.1\.2\.3 is not a public address/);
  await expect(limits.known(Promise.reject(new Error("lost")), "own")).rejects.toThrow("lost");
});
