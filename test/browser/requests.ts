// Requests that tests of pages send beside the page: to the control API of a world, and to the service as a client of the world.
import type { World } from "../../src/index.ts";

type Target = Pick<World, "url" | "id" | "token">;

function send(url: string, headers: Record<string, string>, method: string, body?: object): Promise<Response> {
  if (!body) return fetch(url, { method, headers });
  return fetch(url, {
    method,
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

/** Returns the parsed body of the response; the caller names its type. */
export async function callControl<T>(world: Target, method: string, path: string, body?: object): Promise<T> {
  const response = await send(`${world.url}/_sandbox/${path}`, { "sandbox-world": world.id }, method, body);
  return (await response.json()) as T;
}

export async function readRecord<T>(world: Target, collection: string, id: string): Promise<T> {
  return (await callControl<{ record: T }>(world, "GET", `records/${collection}/${id}`)).record;
}

export async function callService(world: Target, method: string, path: string, body?: object): Promise<Response> {
  return send(`${world.url}/v1/${path}`, { authorization: `Bearer ${await world.token()}` }, method, body);
}

interface BookingOptions {
  event?: string;
  quantity?: number;
  name?: string;
}

/** Books seats of an event as a client. */
export function bookSeats(world: Target, options: BookingOptions = {}): Promise<Response> {
  const { event = "evt-evening", quantity = 2, name = "Anna Holm" } = options;
  const address = { address_lines: ["Nyhavn 12"], city: "København K", zip_code: "1051", country: "DK" };
  return callService(world, "POST", "bookings", {
    event_id: event,
    locale: "da",
    customer: { customer_type: "PRIVATE", name, email: "anna@example.com", address },
    items: [{ type_id: "var-adult", item_type: "VARIANT", quantity }],
  });
}
