// Worlds that a program makes with the library while it is judged: they are part of the run, and others are not.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startOwnSandbox } from "../../src/cli/own-sandbox.ts";
import { unwrap } from "../../src/client/control.ts";
import { createControl } from "../../src/client/create-control.ts";
import { startSandbox, type World } from "../../src/index.ts";
import { checks, type Launch, type RunEnvironment } from "../../src/verdict/index.ts";
import { runOnce } from "../../src/verdict/run.ts";
import { createWorldContext } from "../../src/verdict/worlds.ts";
import { runHere } from "../cli/in-process.ts";
import { startLocalServer } from "../local-server.ts";
import { judged } from "./matrix.ts";

let server: Awaited<ReturnType<typeof startOwnSandbox>>;
beforeAll(async () => {
  server = await startOwnSandbox({ clock: "anchor" });
});
afterAll(() => server?.close());
afterEach(() => {
  delete process.env.SANDBOX_RUN;
});

type Connection = Parameters<Launch>[0];
type Tests = (connection: Connection) => Promise<void>;

/** Runs tests in this process as a program: one run at a time, since its environment is that of the process. */
const launchOf =
  (tests: Tests): Launch =>
  (connection, more) => {
    process.env.SANDBOX_RUN = more.SANDBOX_RUN;
    const ended = tests(connection).then(
      () => ({ code: 0, output: "" }),
      (reason: Error) => ({ code: 1, output: String(reason.stack) }),
    );
    return { ended, stop: () => undefined };
  };

const library = ({ url, control_token: controlToken }: Connection) => startSandbox({ url, controlToken });

type Key = Pick<World, "url" | "tokenUrl" | "credentials">;

async function requestToken({ url, tokenUrl, credentials: { clientId, clientSecret } }: Key): Promise<string> {
  const form = { grant_type: "client_credentials", audience: url, client_id: clientId, client_secret: clientSecret };
  const response = await fetch(tokenUrl, { method: "POST", body: new URLSearchParams(form) });
  return ((await response.json()) as { access_token: string }).access_token;
}

const keyOf = ({ url, token_url: tokenUrl, client_id: clientId, client_secret: clientSecret }: Connection): Key => ({
  url,
  tokenUrl,
  credentials: { clientId, clientSecret },
});

/** A client of the API as a program has one. */
function clientIn(key: Key) {
  let bearer: Promise<string> | undefined;
  const call = async (method: string, path: string, body?: object) => {
    bearer ??= requestToken(key);
    const headers = {
      authorization: `Bearer ${await bearer}`,
      "content-type": "application/json",
      "accept-language": "en",
    };
    return fetch(`${key.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  };
  const order = {
    event_id: "evt-tomorrow-evening",
    locale: "da",
    customer: {
      customer_type: "PRIVATE",
      name: "Ane Holm",
      email: "ane@example.com",
      phone: "+4520123456",
      address: { address_lines: ["Nyhavn 12"], city: "København", zip_code: "1051", country: "DK" },
    },
    items: [{ type_id: "var-adult", item_type: "VARIANT", quantity: 1 }],
    metadata: { reference: "order-1" },
  };
  return { call, book: () => call("POST", "/v1/bookings", order) };
}

const named = (...ids: string[]) => checks.filter(({ id }) => ids.includes(id));

/** Three tests at once, in worlds of their own that are removed at their end; each books the same. */
const booking =
  (whenLost: (client: ReturnType<typeof clientIn>) => Promise<unknown>): Tests =>
  async (connection) => {
    await using sandbox = await library(connection);
    const test = async () => {
      await using world = await sandbox.world();
      const client = clientIn(world);
      await client.call("GET", "/v1/experiences");
      const response = await client.book().catch(() => whenLost(client));
      expect(response).toBeDefined();
    };
    await Promise.all([test(), test(), test()]);
  };

describe("A verdict on tests with separate worlds", () => {
  const only = named("RETRY-01", "AUTH-02", "BOOK-03", "TOL-02", "LANG-01");

  it("finds that a test books twice in a world that has since been deleted", async () => {
    const launch = launchOf(booking((client) => client.book()));
    const { results, no_verdict } = await judged("program.mjs", { only, launch, jobs: 1, isSilent: true });
    expect(no_verdict).toBeNull();
    const [first, ...others] = results.toSorted((a) => (a.id === "RETRY-01" ? -1 : 1));
    expect(first).toMatchObject({
      outcome: "fail",
      says: expect.stringMatching(
        /^after a lost response the program booked again: \w+ \(1 ticket, order .+\) and \w+ \(1 ticket, order .+\)$/,
      ),
    });
    expect(others.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual([
      "AUTH-02 pass",
      "BOOK-03 pass",
      "TOL-02 pass",
      "LANG-01 pass",
    ]);
  });

  it("does not count equal bookings in two worlds as a repetition", async () => {
    const launch = launchOf(booking((client) => client.call("GET", "/v1/bookings")));
    const { results, exit_code } = await judged("program.mjs", { only, launch, jobs: 1, isSilent: true });
    expect(results.find(({ id }) => id === "RETRY-01")).toMatchObject({ outcome: "pass" });
    expect(exit_code).toBe(0);
  });
});

it("A verdict sends its messages to the receiver of a world of the library", async () => {
  const launch = launchOf(async (connection) => {
    await using sandbox = await library(connection);
    let received = (): void => undefined;
    const isReceived = new Promise<void>((resolve) => (received = resolve));
    // It takes whatever comes.
    const receiver = await startLocalServer((_, response) => {
      response.writeHead(204).end();
      received();
    });
    await using world = await sandbox.world({ webhookUrl: `${receiver.url}/hook` });
    await clientIn(world).book();
    await isReceived;
    receiver.close();
  });
  const { results } = await judged("program.mjs", { only: named("HOOK-01"), launch, jobs: 1, isSilent: true });
  expect(results).toMatchObject([{ outcome: "warn", says: expect.stringContaining("it accepted a message with") }]);
});

/** One run in the running sandbox. */
async function run(tests: Tests, drill = {}) {
  const environment: RunEnvironment = {
    open: () => createWorldContext(server, { seed: "7", id: "run" }),
    service: { scopesByOperation: new Map(), needsLanguage: new Set() } as never,
    limitMs: 60_000,
    launch: launchOf(tests),
  };
  const observed = await runOnce(environment, { name: "run", drill });
  expect(observed.ended).toMatchObject({ code: 0, output: "" });
  return observed;
}

const worldIds = async () => (await unwrap(createControl(server).GET("/_sandbox/worlds"))).items.map(({ id }) => id);

describe("A run", () => {
  it("sees its own world and the worlds of the library, and no other world", async () => {
    const stranger = await createWorldContext(server, { seed: "7", id: "stranger" });
    let left: World | undefined;
    const observed = await run(async (connection) => {
      const sandbox = await library(connection);
      const removed = await sandbox.world({ id: "shop" });
      await clientIn(removed).book();
      await removed.remove();
      const again = await sandbox.world({ id: "shop" });
      await clientIn(again).book();
      left = again;
      await clientIn(keyOf(connection)).book();
      await startSandbox({ url: server.url, controlToken: server.controlToken ?? "" })
        .then(({ fork }) => fork())
        .then((world) => clientIn(world).book());
      await clientIn(keyOf(stranger.connection)).book();
    });
    const booked = observed.requests.filter(({ operation }) => operation === "createBooking");
    const worlds = booked.map(({ world }) => world);
    expect(worlds.slice(0, 3)).toEqual(["shop", "shop", "run"]);
    // The last is in a copy of a world of the library.
    expect(worlds).toHaveLength(4);
    expect(worlds).not.toContain("stranger");
    expect(observed.bookings.map(({ world }) => world).toSorted()).toEqual(worlds.toSorted());
    expect(observed.bookings.every(({ order }) => order?.includes(" · DKK "))).toBe(true);
    // Worlds that the program has left go with the run.
    expect(left?.id).toBe("shop");
    expect(await worldIds()).toEqual(["default", "stranger"]);
    await stranger.close();
  });

  it("has its faults in later worlds too, each as often as specified in all worlds together", async () => {
    const faults = [{ operation: "createBooking", status: 503, times: 2, skip: 1 }];
    const statuses: number[] = [];
    const observed = await run(
      async (connection) => {
        await using sandbox = await library(connection);
        for (const _ of [1, 2, 3]) {
          await using world = await sandbox.world();
          statuses.push((await clientIn(world).book()).status);
          // A fault of a test is its own.
          await world.faults.arm({ operation: "getMe", status: 500, times: 1 });
        }
        statuses.push((await clientIn(sandbox).book()).status, (await clientIn(sandbox).call("GET", "/v1/me")).status);
      },
      { faults },
    );
    expect(statuses).toEqual([201, 503, 503, 201, 200]);
    expect(observed.armed).toMatchObject([{ operation: "createBooking", hits: 2 }]);
  });

  it("repeats earlier acts of the host in later worlds, once", async () => {
    const before = async ({ control }: Awaited<ReturnType<typeof createWorldContext>>) => {
      const body = { booking_id: "bkg-evening", refund: "none" as const };
      await unwrap(control.POST("/_sandbox/acts/cancelBooking", { body }));
      await unwrap(control.PUT("/_sandbox/assumptions", { body: { timestamps: "second" } }));
      return undefined;
    };
    const found: unknown[] = [];
    const assumed: unknown[] = [];
    await run(
      async (connection) => {
        await using sandbox = await library(connection);
        for (const world of [sandbox, await sandbox.world(), await sandbox.world({ fixture: "empty" })]) {
          const client = clientIn(world);
          for (const _ of [1, 2]) {
            const response = await client.call("GET", "/v1/bookings/bkg-evening");
            found.push(((await response.json()) as { status?: string }).status);
          }
          const { items } = await unwrap(createControl(server, world.id).GET("/_sandbox/assumptions"));
          assumed.push(items.find(({ id }) => id === "timestamps")?.value);
        }
      },
      { before },
    );
    expect(found).toEqual(["CANCELLED", "CANCELLED", "CANCELLED", "CANCELLED", undefined, undefined]);
    expect(assumed).toEqual(["second", "second", "second"]);
  });

  it("does not affect the library's worlds outside of a run", async () => {
    await using sandbox = await startSandbox({ url: server.url, controlToken: server.controlToken ?? "" });
    const control = createControl(server, "default");
    await unwrap(
      control.PUT("/_sandbox/faults", { body: { faults: [{ operation: "createBooking", status: 503, times: 1 }] } }),
    );
    expect((await clientIn(sandbox).book()).status).toBe(201);
    await control.DELETE("/_sandbox/faults");
  });
});

describe("Without a run", () => {
  it("coverage and lint of the default world count the requests of the library's worlds, including deleted ones", async () => {
    const there = await startOwnSandbox({ clock: "anchor" });
    try {
      const [before, after] = [await counted(there), await testsIn(there).then(() => counted(there))];
      expect(before).toEqual({ operations: 0, requests: 0 });
      expect(after).toEqual({ operations: 2, requests: 2 });
    } finally {
      await there.close();
    }
  });

  async function testsIn({ url, controlToken = "" }: typeof server): Promise<void> {
    const stranger = await createWorldContext({ url, controlToken }, { seed: "7", id: "stranger" });
    await clientIn(keyOf(stranger.connection)).call("GET", "/v1/bookings");
    await using sandbox = await startSandbox({ url, controlToken });
    await using world = await sandbox.world();
    await clientIn(world).book();
  }

  async function counted({ url, controlToken = "" }: typeof server) {
    const words = ["--url", url, "--control-token", controlToken, "--json"];
    const { axes } = JSON.parse((await runHere(["check", "coverage", "operations", ...words])).stdout);
    const { requests } = JSON.parse((await runHere(["check", "log", ...words])).stdout);
    return { operations: axes[0].met, requests };
  }
});
