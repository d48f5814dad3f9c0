// The files that answers point at: one-page PDFs that a reader opens, without a token.
import { inflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSandbox, type TestSandbox, type TestWorld } from "../../sandbox.ts";

let sandbox: TestSandbox;
let world: TestWorld;
let ticketUrl: string;
let documentUrl: string;

beforeAll(async () => {
  sandbox = await openSandbox({ fixture: "harbour-tours" });
  world = await sandbox.world({ fixture: "harbour-tours" });
  const [booking] = (await world.call("listBookings", { query: { status: "ACTIVE", limit: 1 } })).body.items;
  ticketUrl = (await world.call("listBookingTickets", { path: { bookingId: booking.id } })).body.items[0].urls[0].url;
  const entries = (await world.call("listJournalEntries")).body.items as { documents: { url: string }[] }[];
  documentUrl = entries.flatMap(({ documents }) => documents)[0]?.url ?? "";
});
afterAll(() => sandbox.close());

/** Whether each place in the cross-reference table is where its object begins. */
function isWhole(file: string): boolean {
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1]);
  const paths = [...file.slice(start).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, place]) => Number(place));
  const length = Number(/\/Length (\d+)/.exec(file)?.[1]);
  const stream = /stream\n([\s\S]*)\nendstream/.exec(file)?.[1] ?? "";
  return (
    file.startsWith("%PDF-1.4\n") &&
    file.slice(start).startsWith("xref\n0 6\n") &&
    paths.length === 5 &&
    paths.every((path, index) => file.slice(path).startsWith(`${index + 1} 0 obj\n`)) &&
    stream.length === length
  );
}

describe("A file is a whole PDF, served without a token:", () => {
  it.each([
    ["a ticket", () => ticketUrl, "Ticket "],
    ["a receipt or credit note", () => documentUrl, "Receipt 1"],
  ])("%s", async (_, url, words) => {
    const answer = await fetch(url());
    const file = Buffer.from(await answer.arrayBuffer()).toString("latin1");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/pdf"]);
    expect(Number(answer.headers.get("content-length"))).toBe(file.length);
    expect(isWhole(file)).toBe(true);
    expect(file).toContain(words);
    const head = await fetch(url(), { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(file.length)]);
  });
});

it("A file of another world, and one that nobody has, are not there", async () => {
  const other = await sandbox.world({ fixture: "empty" });
  for (const url of [
    ticketUrl.replace(world.id, other.id),
    ticketUrl.replace(world.id, "__proto__"),
    ticketUrl.replace(".pdf", "x.pdf"),
    documentUrl.replace(".pdf", "x.pdf"),
  ]) {
    const answer = await fetch(url);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([404, "NOT_FOUND"]);
  }
});

describe("A picture of the fixture", () => {
  const pictures = async (experience: string): Promise<{ type: string; url: string; mime_type: string }[]> =>
    (await world.call("getExperience", { path: { experienceId: experience } })).body.media;

  it("is a whole PNG, the same each time, another for another name, without a token", async () => {
    const [canal] = await pictures("exp-canal");
    const [kayak] = await pictures("exp-kayak");
    const read = async (url = "") => {
      const answer = await fetch(url);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/png"]);
      return Buffer.from(await answer.arrayBuffer());
    };
    const file = await read(canal?.url);
    const chunks: string[] = [];
    for (let at = 8; at < file.length; at += file.readUInt32BE(at) + 12) {
      const end = at + 8 + file.readUInt32BE(at);
      chunks.push(file.toString("latin1", at + 4, at + 8));
      if (chunks.at(-1) === "IHDR") expect([file.readUInt32BE(at + 8), file.readUInt32BE(at + 12)]).toEqual([320, 180]);
      if (chunks.at(-1) === "IDAT") expect(inflateSync(file.subarray(at + 8, end))).toHaveLength(180 * 321);
      if (chunks.at(-1) === "IEND") expect(file.toString("hex", end)).toBe("ae426082");
    }
    expect(chunks).toEqual(["IHDR", "PLTE", "IDAT", "IEND"]);
    expect(await read(canal?.url)).toEqual(file);
    expect(await read(kayak?.url)).not.toEqual(file);
    expect(canal?.mime_type).toBe("image/png");
    expect((await fetch(String(canal?.url), { method: "HEAD" })).headers.get("content-length")).toBe(
      String(file.length),
    );
  });

  it.each([
    ["a name of other letters", (url: string) => url.replace("canal", "Canal")],
    ["another kind of file", (url: string) => url.replace(".png", ".jpg")],
    ["a folder above", (url: string) => url.replace("canal", "..%2Fcanal")],
    ["a world that is not there", (url: string) => url.replace(world.id, "nowhere")],
  ])("is not there under %s", async (_, change) => {
    const [canal] = await pictures("exp-canal");
    expect((await fetch(change(String(canal?.url)))).status).toBe(404);
  });

  it("is only read", async () => {
    const [canal] = await pictures("exp-canal");
    const answer = await fetch(String(canal?.url), { method: "DELETE" });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });
});
