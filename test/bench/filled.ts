// A sandbox whose world holds so many bookings before anybody asks: `filled <port> <bookings>`. Only the bench starts it, bundled as the
// published program is.
import { serve } from "../../src/engine/http/serve.ts";
import { makeSandbox } from "../../src/sandbox.ts";

async function main([port, bookings]: number[]): Promise<void> {
  const sandbox = await makeSandbox({ clock: "2030-06-01T09:00:00Z" });
  const { worlds, states } = sandbox.application;
  const empty = worlds.get("default");
  if (!empty) throw new Error("there is no world default");
  await states.populate(empty, { bookings: bookings ?? 0, seed: "7" }, {});
  const world = worlds.get("default") ?? empty;
  // What filling left behind is not to be cleared away while requests are timed.
  globalThis.gc?.();
  const { url } = await serve(sandbox.router, port ?? 0, "127.0.0.1");
  await sandbox.reachedAt(url);
  const [key] = [...world.credentials().keys.all()];
  process.stdout.write(`${JSON.stringify({ url, client_id: key?.id, client_secret: key?.secret })}\n`);
}

void main(process.argv.slice(2).map(Number));
