// Requests that are alike make no new hidden class (V8's shape of an object), once the first have been answered. Where a member is
// added behind a spread, as in `{ ...booking, order_id }`, V8 makes a new one each time: it takes a tenth of the time of a request and of
// the memory of a record, and nothing else shows it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bin, folder, startProgram } from "../cli/run-sandbox.ts";

const REQUESTS = 300;
const JSON_TYPE = { "content-type": "application/json" };
const item = { type_id: "var-adult", item_type: "VARIANT", quantity: 2 };
const address = { address_lines: ["Nyhavn 12"], city: "København", zip_code: "1051", country: "DK" };
const customer = { customer_type: "PRIVATE", name: "Anna Holm", email: "anna@example.com", address };

interface Announced {
  url: string;
  client_id: string;
  client_secret: string;
}

it("makes no hidden class of its own for each request", async () => {
  const log = join(folder, "maps.log");
  const flags = ["--log-maps", "--no-log-maps-details", "--no-logfile-per-isolate", `--logfile=${log}`];
  const start = [bin, "start", "--memory", "--port", "0", "--json", "--fixture", "harbour-tours"];
  const { child, shows, ended } = startProgram(process.execPath, [...flags, ...start]);
  const { url, client_id, client_secret }: Announced = JSON.parse((await shows("\n")).split("\n")[0] as string);
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(url + path, { method: "POST", headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) });

  const session = { start_time: "2030-09-01T10:00:00", end_time: "2030-09-01T11:00:00" };
  const event = { id: "evt-big", experience_id: "exp-canal", capacity: 1_000_000, sessions: [session] };
  expect((await post("/_sandbox/acts/createEvent", event)).status).toBe(200);
  const form = new URLSearchParams({ grant_type: "client_credentials", audience: url, client_id, client_secret });
  const askForToken = () => fetch(`${url}/oauth2/token`, { method: "POST", body: form });
  const { access_token } = (await (await askForToken()).json()) as { access_token: string };
  const authorization = { authorization: `Bearer ${access_token}` };

  const requests: [name: string, status: number, ask: () => Promise<Response>][] = [
    ["token", 200, askForToken],
    ["get", 200, () => fetch(`${url}/v1/bookings/bkg-evening`, { headers: authorization })],
    ["list", 200, () => fetch(`${url}/v1/bookings?limit=100`, { headers: authorization })],
    ["page of events", 200, () => fetch(`${url}/v1/events?limit=10`, { headers: authorization })],
    [
      "create",
      201,
      () => post("/v1/bookings", { event_id: event.id, locale: "da", customer, items: [item] }, authorization),
    ],
    ["refused", 400, () => post("/v1/bookings", {}, authorization)],
  ];
  const read: Record<string, string[]> = {};
  for (const [name, status, ask] of requests) {
    const many = async () => {
      for (let i = 0; i < REQUESTS; i++) {
        const answer = await ask();
        expect(answer.status, await answer.text()).toBe(status);
      }
    };
    await many();
    const before = readFileSync(log).length;
    await many();
    const lines = readFileSync(log).subarray(before).toString().split("\n");
    // Express gives each request a prototype-less object for the parameters of its path.
    read[name] = lines.filter((line) => line.startsWith("map,") && !line.trimEnd().endsWith("prototype,params"));
  }
  child.kill();
  await ended;
  expect(readFileSync(log, "utf8")).toContain("map,Transition");
  const often = Object.entries(read).filter(([, made]) => made.length > REQUESTS / 2);
  expect(often.map(([name, made]) => `${name}: ${made.length} by ${REQUESTS} requests, such as ${made[0]}`)).toEqual(
    [],
  );
});
