// Which requests a fault hits: of any operation, with a method, after so many, a share of them; and what the log says of it. Faults of
// tokens.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openSandbox, type TestSandbox, type TestWorld } from "../../sandbox.ts";
import { FORM, form } from "./http-kit.ts";

let sandbox: TestSandbox;
let world: TestWorld;

beforeAll(async () => {
  sandbox = await openSandbox({ fixture: "empty" });
});
beforeEach(async () => {
  world = await sandbox.world({ fixture: "empty" });
});
afterAll(() => sandbox.close());

const arm = async (...faults: object[]) => (await world.control("put", "faults", { faults })).body;
const listed = async () => (await world.control("get", "faults")).body.faults;
const statuses = async (times: number, operation: "getMe" | "listBookings" = "getMe") => {
  const all: number[] = [];
  for (let count = 0; count < times; count++) all.push((await world.call(operation)).status);
  return all;
};
const logged = async (view = "full") =>
  (await world.control("get", `log?kinds=request&view=${view}`)).body.items.at(-1);

async function askToken(): Promise<{ access_token: string; expires_in: number }> {
  const members = { grant_type: "client_credentials", audience: sandbox.url };
  const body = form({ ...members, client_id: world.clientId, client_secret: world.clientSecret });
  return (await (await fetch(`${sandbox.url}/oauth2/token`, { method: "POST", headers: FORM, body })).json()) as never;
}

describe("A fault hits", () => {
  it("any operation except that of tokens", async () => {
    await arm({ operation: "*", status: 503, times: 2 });
    expect(await world.token()).toMatch(/[\w-]{20}/);
    expect([...(await statuses(1)), ...(await statuses(1, "listBookings")), ...(await statuses(1))]).toEqual([
      503, 503, 200,
    ]);
  });

  it("requests with a method", async () => {
    await arm({ operation: "*", methods: ["POST", "DELETE"], status: 503, times: 5 });
    expect(await statuses(2)).toEqual([200, 200]);
    expect((await world.call("deleteWebhookSubscription", { path: { subscriptionId: "x" } })).status).toBe(503);
    expect(await listed()).toMatchObject([{ hits: 1, seen: 1, left: 4 }]);
  });

  it("requests after the skipped ones, and continues its count when it is armed again", async () => {
    await arm({ operation: "getMe", status: 503, skip: 3, times: 1 });
    expect(await statuses(2)).toEqual([200, 200]);
    const again = await listed();
    expect(again).toMatchObject([{ hits: 0, seen: 2, left: 1 }]);
    await arm(...again);
    expect(await statuses(3)).toEqual([200, 503, 200]);
    expect(await listed()).toMatchObject([{ hits: 1, left: 0 }]);
  });

  it("a share of the requests, the same ones for the same seed", async () => {
    const fault = { operation: "getMe", status: 503, share: 0.4, seed: 7, times: 100 };
    await arm(fault);
    const first = await statuses(20);
    await arm(fault);
    expect(await statuses(20)).toEqual(first);
    const hit = first.filter((status) => status === 503).length;
    expect(hit).toBeGreaterThan(2);
    expect(hit).toBeLessThan(14);
    await arm({ ...fault, seed: 8 });
    expect(await statuses(20)).not.toEqual(first);
  });

  it("a share by the seed of the world, which the list shows", async () => {
    const seeded = (await world.control("get", "")).body.seed;
    const { faults } = await arm({ operation: "getMe", status: 503, share: 0.5, times: 1 });
    expect(String(faults[0].seed)).toBe(String(seeded));
  });
});

describe("The log names a fault", () => {
  it("by its effect, in a summary too, and as it was armed in the full view", async () => {
    const fault = { operation: "getMe", status: 503, times: 1 };
    await arm(fault);
    await statuses(1);
    const did = "answered 503 before the operation";
    expect((await logged("summary")).faults).toEqual([{ name: "getMe: 503", did }]);
    expect((await logged()).faults).toEqual([{ name: "getMe: 503", did, fault: { ...fault, name: "getMe: 503" } }]);
    await statuses(1);
    expect((await logged()).faults).toEqual([]);
  });

  it.each([
    [{ name: "the network is down", connection: "reset", when: "after" }, "the network is down", /^reset the .* after/],
    [{ delay_ms: 1 }, "getMe: 1 ms late", /^waited 1 ms before the operation$/],
    [{ delay_ms: 1, connection: "empty" }, "getMe: 1 ms late connection empty", /^waited 1 ms and closed the/],
    [
      { code: "CONFLICT", when: "after" },
      "getMe: 409 CONFLICT after it was carried out",
      /^answered 409 CONFLICT after/,
    ],
  ])("%j", async (fault, name, did) => {
    await arm({ operation: "getMe", times: 1, ...fault });
    await world.call("getMe", { undocumented: true }).catch(() => undefined);
    expect((await logged("summary")).faults).toEqual([{ name, did: expect.stringMatching(did) }]);
  });
});

describe("A fault of tokens", () => {
  it("revokes the token of a request, which is the first to be rejected", async () => {
    await arm({ operation: "*", token: { revoke: true }, skip: 2, times: 1 });
    expect(await statuses(4)).toEqual([200, 200, 401, 401]);
    const { items } = (await world.control("get", "log?kinds=request&view=summary")).body;
    const reported = [{ name: "any operation: token revoked", did: "revoked the token of the request" }];
    expect(items.slice(-2).map(({ faults }: { faults: object[] }) => faults)).toEqual([reported, []]);
    const fresh = await askToken();
    expect((await world.call("getMe", { token: fresh.access_token })).status).toBe(200);
  });

  it("revokes the token of one client only", async () => {
    await arm({ operation: "*", token: { revoke: true }, times: 1, client_id: "another" });
    expect(await statuses(2)).toEqual([200, 200]);
  });

  it("issues a token that is short-lived, long, and valid", async () => {
    await arm({ operation: "createToken", token: { expires_in: 60, form: "long" }, times: 1 });
    const { access_token, expires_in } = await askToken();
    expect(expires_in).toBe(60);
    expect(access_token).toHaveLength(2048);
    expect((await world.call("getMe", { token: access_token })).status).toBe(200);
    await world.control("post", "clock/advance", { by: "PT61S" });
    expect((await world.call("getMe", { token: access_token })).status).toBe(401);
    expect(await askToken()).toMatchObject({ expires_in: 3599, access_token: expect.stringMatching(/^.{30,100}$/) });
  });
});

describe("Arming is rejected", () => {
  const fine = { operation: "getMe", times: 1 };
  it.each<[string, object, RegExp]>([
    ["two things", { ...fine, status: 500, token: { revoke: true } }, /^body\.faults\.0\.status: .* Arm two faults\.$/],
    ["two other things", { ...fine, stale: true, move: true }, /^body\.faults\.0\.move: the fault has stale too/],
    [
      "no operation",
      { status: 500, times: 1 },
      /^body\.faults\.0\.operation: it is required, such as createBooking, or \*/,
    ],
    [
      "an operation of a delivery",
      { ...fine, delivery: { do: "drop" } },
      /^body\.faults\.0\.operation: a fault of deliveries hits no requests/,
    ],
    ["a seed of no share", { ...fine, status: 500, seed: 1 }, /^body\.faults\.0\.seed: .*Add a share\.$/],
    ["a share above one", { ...fine, status: 500, share: 1.5 }, /share must be <= 1/],
    [
      "an issued token of another operation",
      { ...fine, token: { form: "long" } },
      /operation: a token is issued by createToken/,
    ],
    [
      "a revoked token of the token endpoint",
      { operation: "createToken", token: { revoke: true }, times: 1 },
      /operation: no token is used there/,
    ],
    [
      "a token revoked and issued",
      { ...fine, token: { revoke: true, expires_in: 5 } },
      /^body\.faults\.0\.token\.revoke: /,
    ],
    [
      "pages of what has none",
      { ...fine, page: { short: true } },
      /operation: page has no effect on getMe\. It works on list/,
    ],
    ["nothing of an answer", { ...fine, answer: { leave_out: false } }, /answer\.leave_out: it is false/],
    [
      "a time of what is not late",
      { times: 1, delivery: { do: "drop", late_ms: 5 } },
      /delivery\.late_ms: it works only with late and reorder/,
    ],
  ])("with %s", async (_, fault, sentence) => {
    const { status, body } = await world.control("put", "faults", { faults: [fault] });
    expect([status, body.message]).toEqual([400, expect.stringMatching(sentence)]);
  });
});
