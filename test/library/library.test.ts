// The library as a test suite uses it: startSandbox and everything that a sandbox and a world offer. The processes at the end run
// what is built in dist/, as users have it.
import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  ClosedError,
  DataError,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
  type World,
} from "../../src/index.ts";
import { ask } from "../ask.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { BOOKING, book, CLOCK, call, worksAnywhere } from "./works-anywhere.ts";

let sandbox: Sandbox;
let world: World;

beforeAll(async () => {
  sandbox = await startSandbox({ fixture: "harbour-tours", clock: CLOCK });
});
afterAll(() => sandbox.close());
beforeEach(async () => {
  world = await sandbox.world();
});

const NOT_TAKEN: [options: unknown, sentence: string][] = [
  [null, 'The options are null. Give an object such as { fixture: "empty" }'],
  ["empty", "The options are the text empty."],
  [{ clok: "2030-06-01T09:00:00Z" }, "There is no option clok. Did you mean clock?"],
  [{ maturity: "prod" }, "maturity is prod. Did you mean production?"],
  [{ webhookUrl: "foo" }, "webhookUrl can't be used: foo is not a URL"],
  [
    { webhookUrl: "http://127.0.0.1:9/", webhookEvents: ["nope"] },
    "webhookEvents can't be used: there is no kind nope",
  ],
  [{ webhookUrl: "http://127.0.0.1:9/", webhookEvents: [] }, "webhookEvents names no kind."],
  [{ webhookEvents: ["v1.booking.created"] }, "Add webhookUrl"],
  [{ port: "4360" }, "port is the text 4360, which is not a port. Give one from 1 to 65535"],
  [{ host: "" }, "host is empty, which is not an address"],
];

it("Rejects an option of a type that JSON does not have", async () => {
  const refused = { name: "SettingError", message: "seed is 7, which is not a whole number, such as 7." };
  await expect(startSandbox({ seed: 7n as never })).rejects.toMatchObject(refused);
});

it("Reports missing entries of a program's books, and accepts complete books", async () => {
  const entries = await world.books.entries();
  const rows = entries.flatMap(({ id, booked_on, postings }) =>
    (postings as unknown as { type: string; amount: { value: number; exponent: number } }[]).map(
      ({ type, amount }) => ({
        entry: id,
        date: booked_on,
        account: type,
        amount: amount.value / 10 ** amount.exponent,
      }),
    ),
  );
  expect(await world.books.reconcile(rows)).toMatchObject({ agrees: true, entries: entries.length, findings: [] });
  const { findings } = await world.books.reconcile(rows.filter(({ entry }) => entry !== entries[0]?.id));
  expect(findings.map((finding) => [finding.class, finding.entry])).toEqual(Array(2).fill(["missing", entries[0]?.id]));
});

it("Returns all messages, more than one page of the control API, by default", async () => {
  const own = await sandbox.world();
  for (let nth = 0; nth <= 100; nth += 1)
    await own.act("updateBooking", { booking_id: "bkg-evening", metadata: { nth: String(nth) } });
  expect(await own.webhooks.all("v1.booking.updated")).toHaveLength(101);
  await own.remove();
});

describe("The clock", () => {
  const begun = async (options: SandboxOptions) => {
    const own = await startSandbox(options);
    const clockOf = async ({ id }: World) =>
      (await (await fetch(`${own.controlUrl}/clock?world=${id}`)).json()) as { now: string; mode: string };
    try {
      const another = await own.world();
      const running = await own.world({ clock: "now" });
      const held = await own.world({ clock: new Date(CLOCK) });
      return await Promise.all([own, another, running, held].map(clockOf));
    } finally {
      await own.close();
    }
  };

  it("is held at the anchor time of the fixture, in every world by default", async () => {
    const [own, another, running, held] = await begun({});
    const anchor = { now: "2030-06-01T09:00:00.000Z", mode: "held" };
    expect([own, another]).toEqual([expect.objectContaining(anchor), expect.objectContaining(anchor)]);
    expect(running?.mode).toBe("running");
    expect(held).toMatchObject({ mode: "held", now: new Date(CLOCK).toISOString() });
  });

  it("runs with real time on request, and is held at a Date", async () => {
    expect((await begun({ clock: "now" })).map(({ mode }) => mode)).toEqual(["running", "running", "running", "held"]);
    const now = "2031-02-03T04:05:06.000Z";
    expect(await begun({ clock: new Date(now) })).toMatchObject([{ now, mode: "held" }, { now }, {}, {}]);
  });
});

describe("A sandbox from the library", () => {
  worksAnywhere(() => sandbox);

  it("has its addresses, its credentials, and tokens for the requested scopes", async () => {
    expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(sandbox.tokenUrl).toBe(`${sandbox.url}/oauth2/token`);
    expect([sandbox.controlUrl, sandbox.id]).toEqual([`${sandbox.url}/_sandbox`, "default"]);
    expect(sandbox.credentials.clientId).not.toBe(world.credentials.clientId);
    const narrow = { authorization: `Bearer ${await sandbox.token(["booking.read"])}` };
    expect((await fetch(`${sandbox.url}/v1/bookings`, { headers: narrow })).status).toBe(200);
    expect((await fetch(`${sandbox.url}/v1/orders`, { headers: narrow })).status).toBe(403);
    // @ts-expect-error there is no such scope
    await expect(world.token(["booking.fly"])).rejects.toMatchObject({
      name: "SandboxError",
      status: 400,
      message: expect.stringContaining("was not granted the scope booking.fly"),
    });
    const refused = { name: "SettingError", code: "SETTING_REJECTED" };
    await expect(world.token([])).rejects.toMatchObject(refused);
    await expect(world.token("booking.read" as never)).rejects.toMatchObject({
      ...refused,
      message:
        "scopes is booking.read, which is not a list of scopes. Name at least one, or leave it out for all scopes of the key.",
    });
  });

  it("gives a world with a subscription the secret that signs what is sent there", async () => {
    const hook = "http://127.0.0.1:9/hook";
    const subscribed = await sandbox.world({ webhookUrl: hook, webhookEvents: ["v1.booking.created"] });
    expect(subscribed.webhookSecret).toMatch(/^whsec_/);
    expect(world.webhookSecret).toBeUndefined();
    await book(subscribed);
    const message = await subscribed.webhooks.waitFor("v1.booking.created");
    expect(message.deliveries.map(({ url }) => url)).toEqual([hook]);
    const own = await startSandbox({ fixture: "empty", webhookUrl: hook, webhookEvents: "v1.booking.created" });
    expect(own.webhookSecret).toMatch(/^whsec_/);
    await own.close();
  });

  it("rejects a subscription of a new world that it can't create, over HTTP, and creates no world", async () => {
    const post = async (body: object) => {
      const answer = await ask("post", `${sandbox.controlUrl}/worlds`, {}, body);
      return [answer.status, answer.body.message];
    };
    const noUrl = await post({ id: "unmade", webhook_url: "foo" });
    expect(noUrl).toEqual([400, expect.stringContaining("body.webhook_url: foo is not a URL.")]);
    const noAddress = await post({ id: "unmade", webhook_events: ["v1.booking.created"] });
    expect(noAddress).toEqual([400, expect.stringContaining("webhook_url")]);
    await expect(sandbox.world({ id: "unmade" })).resolves.toMatchObject({ id: "unmade" });
  });

  it("accepts options in the forms of the command line, and a Date", async () => {
    const assume = ["booking-create-status=200"];
    await using own = await startSandbox({ clock: new Date(CLOCK), assume, rateLimit: "2/min" });
    expect(await own.clock.now()).toBe(CLOCK);
    expect((await call(own, "POST", "/v1/bookings", BOOKING)).status).toBe(200);
    const answers = [await call(own, "GET", "/v1/me"), await call(own, "GET", "/v1/me")];
    expect(answers.map(({ status }) => status)).toContain(429);
    await using later = await own.world({ clock: new Date("2031-01-01T00:00:00Z") });
    expect(await later.clock.now()).toBe("2031-01-01T00:00:00.000Z");
  });

  it("is closed, and its worlds are deleted, at the end of the block that uses them", async () => {
    const found: World[] = [];
    {
      await using used = await startSandbox({ fixture: "empty" });
      found.push(used);
      {
        await using inner = await used.world({ id: "inner" });
        found.push(inner);
        await inner.remove();
      }
      await expect(found[1]?.clock.now()).rejects.toMatchObject({ status: 404 });
    }
    const late = found[0]?.clock.now();
    await expect(late).rejects.toBeInstanceOf(ClosedError);
    await expect(late).rejects.toMatchObject({ code: "SANDBOX_CLOSED", message: expect.stringContaining("is closed") });
    await expect(found[0]?.token()).rejects.toBeInstanceOf(ClosedError);
  });

  it("rejects bulk data that is interrupted by the end", async () => {
    const own = await startSandbox({ url: sandbox.url });
    const cut = expect(own.populate(9_000)).rejects.toMatchObject({ name: "ClosedError", code: "SANDBOX_CLOSED" });
    setTimeout(() => void own.close(), 50);
    await cut;
  });

  it.each(NOT_TAKEN)("rejects %j", async (options, sentence) => {
    const refused = startSandbox(options as never);
    await expect(refused).rejects.toMatchObject({ name: "SettingError" });
    await expect(refused).rejects.toThrow(sentence);
  });

  it("treats undefined as missing, and accepts a seed as a number", async () => {
    const own = await startSandbox({ fixture: "empty", port: undefined, host: undefined, seed: 7 } as never);
    expect((await (await fetch(own.controlUrl)).json()) as object).toMatchObject({ fixture: "empty", seed: "7" });
    await own.close();
  });

  it("rejects an impossible start in one sentence, and leaves nothing behind", async () => {
    await expect(startSandbox({ fixture: "harbor-tours" })).rejects.toThrow("harbor-tours");
    const port = Number(new URL(sandbox.url).port);
    await expect(startSandbox({ port })).rejects.toMatchObject({
      name: "PortError",
      message: expect.stringContaining("choose another port, or port 0 for a free one."),
    });
    const data = join(makeTempFolder(), "world.json");
    await expect(startSandbox({ port, data })).rejects.toMatchObject({ name: "PortError" });
    expect(existsSync(data)).toBe(false);
  });

  it("stores its state in the data option, and nowhere else", async () => {
    const folder = makeTempFolder();
    const data = join(folder, "world.json");
    const first = await startSandbox({ clock: CLOCK, data });
    await expect(startSandbox({ data })).rejects.toBeInstanceOf(DataError);
    const id = await book(first);
    await first.close();
    const second = await startSandbox({ data });
    expect((await call(second, "GET", `/v1/bookings/${id}`)).status).toBe(200);
    await second.close();
    expect(readdirSync(folder)).toEqual(["world.json", "world.json.log"]);
  });

  it("recognizes the address of an earlier start in another spelling, as a URL too", async () => {
    const data = join(makeTempFolder(), "world.json");
    const first = await startSandbox({ data, webhookUrl: "HTTP://127.0.0.1:9" });
    const { webhookSecret } = first;
    await first.close();
    const again = await startSandbox({ data, webhookUrl: new URL("http://127.0.0.1:9/") });
    expect([again.webhookSecret, webhookSecret]).toEqual([webhookSecret, expect.stringMatching(/^whsec_/)]);
    await again.close();
  });

  it("emits a process warning about options that a saved world ignores", async () => {
    const folder = makeTempFolder();
    const data = join(folder, "world.json");
    const warned: Error[] = [];
    const note = (warning: Error) => void (warning.name === "SandboxWarning" && warned.push(warning));
    process.on("warning", note);
    const webhookUrl = "http://127.0.0.1:9/hook";
    await (await startSandbox({ data, seed: 1, webhookUrl })).close();
    const webhookEvents = "v1.booking.created";
    await (await startSandbox({ data, fixture: "empty", seed: 9, webhookUrl, webhookEvents })).close();
    const other = join(folder, "other.json");
    await (await startSandbox({ data: other, fixture: "empty" })).close();
    await (await startSandbox({ data: other })).close();
    await vi.waitFor(() => expect(warned).toHaveLength(4));
    process.off("warning", note);
    const end = ", and is used unchanged. `fresh` replaces it.";
    expect(warned.map(({ message }) => message)).toEqual([
      `The saved world was made from harbour-tours, not empty${end}`,
      `The saved world has the seed 1, not 9${end}`,
      expect.stringMatching(
        /^`webhookEvents`: the saved world sends every kind to this address, by the subscription [\w-]+, and is used unchanged\. Replace the subscription, or `fresh` replaces the world\.$/,
      ),
      `The saved world was made from empty, not harbour-tours${end}`,
    ]);
  });

  it("never writes to the console", async () => {
    const spies = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, "write"));
    const quiet = await startSandbox({ clock: CLOCK });
    await book(quiet);
    await quiet.close();
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  });
});

const run = promisify(execFile);
const open = fileURLToPath(new URL("open.cjs", import.meta.url));
const closing = fileURLToPath(new URL("closing.cjs", import.meta.url));

/** Node's permissions make every write a failure; the flag has had two names. */
const readOnly = () => {
  const known = process.allowedNodeEnvironmentFlags;
  const flag = known.has("--permission") ? "--permission" : "--experimental-permission";
  return ["--no-warnings", flag, "--allow-fs-read=*", ...(known.has("--allow-net") ? ["--allow-net"] : [])];
};

describe("A process that does not close its sandbox", () => {
  it("exits when it has nothing else to do, and not before the responses to its own requests", async () => {
    const { stdout } = await run(process.execPath, [open], { timeout: 50_000 });
    expect(JSON.parse(stdout)).toEqual({ status: 200, received: 1 });
  });
});

describe("A process that closes its sandbox", () => {
  it("has nothing open, exits by itself, and has printed nothing", async () => {
    const { stdout, stderr } = await run(process.execPath, [closing], { timeout: 50_000 });
    const { tenths, ...found } = JSON.parse(stdout) as { tenths: number };
    expect([found, stderr]).toEqual([{ status: 200, late: "SANDBOX_CLOSED", active: [] }, ""]);
    expect(tenths).toBeLessThan(10);
  });

  it("needs no write permission", async () => {
    const folder = makeTempFolder();
    const { stdout } = await run(process.execPath, [...readOnly(), closing], { timeout: 50_000, cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({ status: 200 });
    expect([existsSync(join(folder, ".sandbox")), readdirSync(folder)]).toEqual([false, []]);
  });
});
