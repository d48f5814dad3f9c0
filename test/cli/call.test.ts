// `sandbox call`: sends one request to the public API with a token of the world, and prints the response.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeTempFolder } from "../temp-folder.ts";
import { runHere, sandboxOfTests } from "./in-process.ts";

const folder = makeTempFolder();
const at = sandboxOfTests();

const run = (line: string) => runHere(line.split(" "), at);

describe("sandbox call", () => {
  it("places fields by name, and prints the body on stdout and the status on stderr", async () => {
    const read = await run("call getBooking --set bookingId=bkg-evening");
    expect([read.code, JSON.parse(read.stdout).id]).toEqual([0, "bkg-evening"]);
    expect(read.stderr).toMatch(/^200 OK {2}req-\S+\n$/);
    const listed = await run("call listBookings --set limit=2 --json");
    expect(JSON.parse(listed.stdout)).toMatchObject({ status: 200, body: { items: [{}, {}] } });
  });

  it("accepts every language by default", async () => {
    const read = await run("call getExperience --set experienceId=exp-canal");
    expect([read.code, JSON.parse(read.stdout).id]).toEqual([0, "exp-canal"]);
    const unknown = await run("call getExperience --set experienceId=exp-canal --set Accept-Language=fi");
    expect(unknown.stderr).toMatch(/^406 /);
  });

  it("sends a body from a file with --set applied, and only the requested scopes", async () => {
    const file = join(folder, "booking.json");
    const { example } = JSON.parse((await run("call createBooking --list --json")).stdout);
    writeFileSync(file, JSON.stringify(example));
    const booked = await run(`call createBooking --data @${file} --set customer.name=Bo --as booking.write`);
    expect([booked.code, JSON.parse(booked.stdout).status]).toEqual([0, "ACTIVE"]);
    const refused = await run(`call createBooking --data @${file} --as booking.read`);
    expect([refused.code, JSON.parse(refused.stdout).code]).toEqual([1, "UNAUTHORIZED"]);
    expect((await run("call getMe --as none")).stderr).toMatch(/^401 Unauthorized/);
    expect(JSON.parse((await run("call createToken")).stdout)).toHaveProperty("access_token");
  });

  it("exits with 1 if the API rejects the request, and links to the parameters of the operation", async () => {
    const { code, stderr } = await run("call createBooking");
    expect(code).toBe(1);
    expect(stderr).toContain("`sandbox call createBooking --list` shows its fields.");
    const view = (await run("call createBooking --list")).stdout;
    expect(view).toMatch(/^createBooking {2}POST \/v1\/bookings\n/);
    expect(view).toContain("\nBooks an event for a customer. The order is created at once and counts as paid, because");
    expect(view).toMatch(/\n {2}sandbox call createBooking --data '\{"event_id":/);
    expect((await run("call --list")).stdout).toMatch(/^getBooking +GET +\/v1\/bookings\/\{bookingId\} +bookingId$/m);
  });

  it("warns after a broken connection that the request may have been processed", async () => {
    const file = join(folder, "cut.json");
    writeFileSync(file, JSON.stringify(JSON.parse((await run("call createBooking --list --json")).stdout).example));
    const bookings = async () => JSON.parse((await run("world export")).stdout).collections.bookings.length;
    const before = await bookings();
    const ways = [
      "--when after --connection truncate",
      "--when after --connection empty",
      "--when after --connection reset",
    ];
    for (const way of ways) {
      await run(`fault add createBooking ${way}`);
      const { code, stdout, stderr } = await run(`call createBooking --data @${file}`);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr.replace(/\((ECONNRESET|UND_ERR_SOCKET)\)/, "(why)")).toBe(
        `The connection to ${at.SANDBOX_URL} was lost before the response was complete (why). The request may have been carried out: \`sandbox logs\` lists it, and \`sandbox why <id>\` says what it did.\n`,
      );
    }
    expect(await bookings()).toBe(before + ways.length);
    await run("fault add createToken --connection truncate");
    const { code, stdout } = await run("call createToken --json");
    expect([code, JSON.parse(stdout).error.code]).toEqual([1, "CONNECTION_LOST"]);
  });
});
