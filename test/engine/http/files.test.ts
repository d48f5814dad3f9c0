// The files that responses point at are served without a token: one PDF and one picture of the package.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { shareSandbox, type TestWorld } from "../../sandbox.ts";

const sandbox = shareSandbox({ fixture: "harbour-tours" });
let world: TestWorld;
let ticketUrl: string;
let documentUrl: string;
beforeAll(async () => {
  world = await sandbox.world({ fixture: "harbour-tours" });
  const [booking] = (await world.call("listBookings", { query: { status: "ACTIVE", limit: 1 } })).body.items;
  ticketUrl = (await world.call("listBookingTickets", { path: { bookingId: booking.id } })).body.items[0].urls[0].url;
  const entries = (await world.call("listJournalEntries")).body.items as { documents: { url: string }[] }[];
  documentUrl = entries.flatMap(({ documents }) => documents)[0]?.url ?? "";
});

describe("A PDF of the package is served without a token for", () => {
  it.each([
    ["a ticket", () => ticketUrl],
    ["a receipt or credit note", () => documentUrl],
  ])("%s", async (_, url) => {
    const answer = await fetch(url());
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/pdf"]);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(readFileSync("spec/files/document.pdf"));
    const head = await fetch(url(), { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, answer.headers.get("content-length")]);
  });
});

it("A file of another world and an unknown file are not found", async () => {
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

  it("is the PNG of the package, without a token", async () => {
    const [canal] = await pictures("exp-canal");
    const answer = await fetch(String(canal?.url));
    expect([answer.status, answer.headers.get("content-type"), canal?.mime_type]).toEqual([
      200,
      ...["image/png", "image/png"],
    ]);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(readFileSync("spec/files/picture.png"));
  });

  it.each([
    ["a name of other letters", (url: string) => url.replace("canal", "Canal")],
    ["another kind of file", (url: string) => url.replace(".png", ".jpg")],
    ["a folder above", (url: string) => url.replace("canal", "..%2Fcanal")],
    ["a world that is not there", (url: string) => url.replace(world.id, "nowhere")],
  ])("is not found under %s", async (_, change) => {
    const [canal] = await pictures("exp-canal");
    expect((await fetch(change(String(canal?.url)))).status).toBe(404);
  });

  it("is read-only", async () => {
    const [canal] = await pictures("exp-canal");
    const answer = await fetch(String(canal?.url), { method: "DELETE" });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });
});
