// Worlds of a verdict in a team that has room for one more: who asked first may be refused for who asked second.
import { expect, it } from "vitest";
import { SandboxError } from "../../src/client/sandbox-error.ts";
import { worldsIn } from "../../src/verdict/worlds.ts";

const json = (status: number, body: object): Response => Response.json(body, { status });
const made = (id: string): Response => json(201, { id, client_id: "client", client_secret: "secret" });
const FULL = { code: "QUOTA_EXCEEDED", message: "The team has 2 of 2 worlds." };

/** A stream that is open, as that of a relay. */
const OPEN = () =>
  new Response(
    new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode("event: open\ndata: {}\n\n")) }),
  );

/** Answers each request for a world by its place in the order in which they came. */
function serverOf(answer: (at: number, body: { id: string }) => Promise<Response>) {
  let at = 0;
  const send = async (request: Request): Promise<Response> => {
    if (request.url.endsWith("/relay")) return OPEN();
    if (request.method !== "POST") return new Response(null, { status: 204 });
    return answer(at++, (await request.json()) as { id: string });
  };
  return worldsIn({ url: "http://sandbox.test", send }, { seed: "1", limitMs: 1000 });
}

it("waits for room where one that asked later got it", async () => {
  let secondIsIn = () => {};
  const second = new Promise<void>((resolve) => {
    secondIsIn = resolve;
  });
  const worlds = serverOf(async (at, { id }) => {
    if (at === 0) await second;
    return at === 0 ? json(403, FULL) : made(id);
  });
  const refusedFirst = worlds.open({ webhookUrl: undefined, name: "RETRY-01" });
  const inTime = await worlds.open({ webhookUrl: undefined, name: "RETRY-03" });
  secondIsIn();
  const inTheEnd = await refusedFirst;
  expect(inTheEnd.world).toMatch(/^verdict-until-\w+-\w+-retry-01$/);
  expect(inTime.world).toMatch(/^verdict-until-\w+-\w+-retry-03$/);
  await Promise.all([inTime.close(), inTheEnd.close()]);
});

it("is refused where none of ours will end", async () => {
  const worlds = serverOf(async () => json(403, FULL));
  const refusal = await worlds.open({ webhookUrl: undefined, name: "RETRY-01" }).catch((reason: unknown) => reason);
  expect(refusal).toBeInstanceOf(SandboxError);
  expect(refusal).toMatchObject({ status: 403, code: "QUOTA_EXCEEDED", message: FULL.message });
});
