// Quotas of teams and the addresses that their webhooks reach, with a real PostgreSQL.
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type LocalServer, startLocalServer } from "../local-server.ts";
import { postgresBin } from "./postgres-kit.ts";
import { OPERATOR, sharedOfTests } from "./teams-kit.ts";

describe.skipIf(!postgresBin)("An exhausted quota", () => {
  const shared = sharedOfTests({ clock: undefined });
  const { ask } = shared;
  let receiver: LocalServer;
  let received = 0;
  beforeAll(async () => {
    receiver = await startLocalServer((request, response) => {
      received++;
      request.resume().on("end", () => response.end());
    });
  });
  afterAll(() => receiver?.close());

  const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 30_000, interval: 100 });
  const raised = (team: string, option: string) =>
    new RegExp(`operator can raise it with .sandbox team quota ${team} --${option} N`);

  it("of bytes: nothing grows, and requests that free space are allowed", async () => {
    const { developer } = await shared.team("small", { bytes: 1_000_000 });
    expect((await ask(developer, "POST", "worlds", { id: "small-full", fixture: "harbour-tours" })).status).toBe(201);
    const { access_token } = (await ask(developer, "POST", "token?world=small-full")).body;
    const address = { address_lines: ["Nyhavn 12"], city: "København", zip_code: "1051", country: "DK" };
    const customer = { customer_type: "PRIVATE", name: "Bo Lund", email: "bo@example.com", address };
    const items = [{ type_id: "var-adult", item_type: "VARIANT", quantity: "1" }];
    const booking = { event_id: "evt-evening", customer, locale: "da", items };
    expect((await ask(access_token, "POST", "/v1/bookings", booking)).status).toBe(400);
    const { id, refusal } = (await ask(developer, "GET", "why?world=small-full")).body;
    expect(refusal.smallest).toMatchObject({ tried: true, works_now: true });
    await ask(OPERATOR, "PUT", "teams/small/quotas", { bytes: 1 });
    await eventually(async () => {
      const { status, body } = await ask(developer, "POST", "acts/createKey?world=small-full", {
        name: "more",
        scopes: ["event.read"],
      });
      expect([status, body.code]).toEqual([409, "QUOTA_EXCEEDED"]);
      expect(body.message).toMatch(raised("small", "bytes"));
    });
    expect((await ask(developer, "GET", "worlds/small-full")).status).toBe(200);
    // A change is tried on a copy, which takes no room of the team.
    expect((await ask(developer, "GET", `why/${id}?world=small-full`)).body.refusal).toEqual(refusal);
    expect((await ask(developer, "POST", "state/reset?world=small-full")).status).toBe(200);
    expect((await ask(developer, "DELETE", "worlds/small-full")).status).toBe(204);
  });

  const attempts = async (token: string, world: string) => {
    const { items } = (await ask(token, "GET", `messages?world=${world}`)).body;
    return items.flatMap(({ deliveries }: { deliveries: { attempts: { outcome: string; error?: string }[] }[] }) =>
      deliveries.flatMap((each) => each.attempts),
    );
  };
  it("of addresses: webhooks of a team reach public ones, and those that the operator allows", async () => {
    const { developer, owner } = await shared.team("hooks");
    const made = await ask(developer, "POST", "worlds", {
      id: "hooks-a",
      fixture: "harbour-tours",
      webhook_url: `${receiver.url.replace("127.0.0.1", "localhost")}/`,
    });
    expect(made.status).toBe(201);
    const trigger = () => ask(developer, "POST", "trigger?world=hooks-a", { kind: "v1.booking.created" });
    expect((await trigger()).status).toBe(200);
    await eventually(async () => {
      const [first] = await attempts(developer, "hooks-a");
      expect(first).toMatchObject({ outcome: "BLOCKED" });
      expect(first.error).toMatch(
        /localhost \((127\.0\.0\.1|::1)\) is not a public address.*sandbox team allow hooks localhost/,
      );
    });
    expect(received).toBe(0);
    expect((await ask(owner, "PUT", "teams/hooks/webhook-targets", { items: ["localhost"] })).status).toBe(403);
    const wrong = await ask(OPERATOR, "PUT", "teams/hooks/webhook-targets", { items: ["10.0.0.0/99"] });
    expect([wrong.status, wrong.body.message]).toEqual([400, expect.stringContaining("10.1.0.0/16")]);
    const items = ["127.0.0.0/8", "::1"];
    expect((await ask(OPERATOR, "PUT", "teams/hooks/webhook-targets", { items })).body.webhook_targets).toEqual(items);
    await eventually(async () => {
      await trigger();
      expect(received).toBeGreaterThan(0);
    });
  });
});
