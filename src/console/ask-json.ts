// A path of the control API by its text, for what the typed client can't name.
import { dataOf, send } from "./api.ts";
import { worldId } from "./router.ts";

export async function askJson<T>(
  method: "GET" | "POST",
  path: string,
  body?: unknown,
  world = worldId.peek(),
): Promise<T> {
  const target = new URL(path, location.origin);
  target.searchParams.set("world", world);
  const given =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const response = await send(new Request(target, { method, ...given }));
  const data = await response.json().catch(() => undefined);
  return dataOf<T>(Promise.resolve(response.ok ? { data: data as T, response } : { error: data, response }));
}
