// What teams may use, with rows made by hand, and a clock that is moved by hand.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MetricsRegistry } from "../../src/engine/app/monitoring/metrics.ts";
import type { HttpError } from "../../src/engine/http/errors.ts";
import type { Team } from "../../src/hosted/postgres/team-store.ts";
import { Quotas } from "../../src/hosted/teams/quotas.ts";

const MINUTE = 60_000;
const ended: (() => unknown)[] = [];
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
  vi.useRealTimers();
});

describe("A team", () => {
  /** With another node that has used so much of the minute. */
  async function quotasOf(
    quotas: Team["quotas"],
    others = { requests: 0 },
    sizes: { id: string; bytes: number }[] = [],
  ) {
    const clock = { now: 10 * MINUTE + 15_500 };
    const sent: { minute: number; requests: number }[] = [];
    const wire: { busy?: Promise<void>; isCut?: boolean } = {};
    const limits = new Quotas({
      now: () => clock.now,
      warn: (sentence) => expect(wire.isCut ? "" : sentence).toBe(""),
      store: {
        sizes: async () => sizes,
        async addRequests(id, minute, requests) {
          await wire.busy;
          if (wire.isCut) throw new Error("no answer");
          sent.push({ minute, requests });
          return { id, quotas, requests: requests + others.requests } as never;
        },
      },
    });
    ended.push(() => limits.close());
    await limits.load("team");
    const exchange = () => vi.advanceTimersByTimeAsync(2000);
    return { clock, limits, sent, exchange, wire, others };
  }

  /** Returns why the next request is rejected. */
  function findRejection(limits: Quotas): HttpError | undefined {
    try {
      limits.countRequest("team");
      return undefined;
    } catch (reason) {
      return reason as HttpError;
    }
  }

  it("has its requests per minute limited across all nodes, and starts again in the next minute", async () => {
    const { clock, limits, sent, exchange } = await quotasOf({ requests_per_minute: 5 }, { requests: 2 });
    const requested = (times: number) =>
      Array.from({ length: times }, () => findRejection(limits)?.headers["retry-after"]);
    expect(requested(2)).toEqual([undefined, undefined]);
    await exchange();
    expect(sent.at(-1)).toEqual({ minute: 10, requests: 2 });
    expect(requested(2)).toEqual([undefined, "45"]);
    expect(findRejection(limits)).toMatchObject({
      status: 429,
      message:
        "Team team has made 5 requests in this minute, which is its quota. Wait 45 s. The operator can raise it with `sandbox team quota team --requests N`.",
    });
    clock.now = 11 * MINUTE;
    expect(requested(6)).toEqual([...Array(5).fill(undefined), "60"]);
  });

  it("is limited while its request counts are on the way to other nodes, or were lost", async () => {
    const { limits, exchange, wire, sent } = await quotasOf({ requests_per_minute: 3 });
    const isLetIn = () => findRejection(limits) === undefined;
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
    expect(sent).toEqual([{ minute: 10, requests: 3 }]);
    expect(isLetIn()).toBe(false);
  });

  it("is read again before it is admitted by information older than two seconds", async () => {
    const { clock, limits, others } = await quotasOf({ requests_per_minute: 3 });
    others.requests = 3;
    expect([limits.load("team"), findRejection(limits)]).toEqual([undefined, undefined]);
    clock.now += 3000;
    await limits.load("team");
    expect(findRejection(limits)?.message).toContain("has made 3 requests");
    clock.now += 3000;
    others.requests = 1;
    await limits.load("team");
    expect(findRejection(limits)).toBeUndefined();
  });

  it("has its requests, worlds and bytes in the metrics", async () => {
    const { limits } = await quotasOf({ requests_per_minute: 2 }, undefined, [
      { id: "w", bytes: 10 },
      { id: "v", bytes: 20 },
    ]);
    // The third is rejected, and not counted.
    for (let count = 0; count < 3; count++) findRejection(limits);
    const registry = new MetricsRegistry();
    limits.registerMetrics(registry);
    const lines = (await registry.metrics()).split("\n").filter((line) => line.startsWith("sandbox_"));
    expect(lines).toEqual([
      'sandbox_team_requests_total{team="team"} 2',
      'sandbox_team_worlds{team="team"} 2',
      'sandbox_team_bytes{team="team"} 30',
    ]);
  });
});
