// What a server keeps of the bookings it makes, each with two messages to a receiver: a heap after many, and what each of more takes.
import { join } from "node:path";
import { load } from "./load.mjs";
import { receiver } from "./receiver.mjs";
import { CLOCK, furnished, input, JSON_TYPE } from "./sandboxes.mjs";

const PORT = 4614;
/** What a server is started with to be asked what it uses. */
export const USAGE = ["--expose-gc", "--require", join(import.meta.dirname, "usage.cjs")];
export const KINDS = "v1.booking.created,v1.journal_entry.created";

export async function memory(bench) {
  const { url, stop } = await receiver();
  const args = [...USAGE, bench.bin, "start", "--memory", "--port", PORT, "--clock", CLOCK, "--json"];
  const sandbox = await furnished([...args, "--webhook-url", url, "--webhook-events", KINDS], PORT);
  const ask = { url: `${sandbox.url}/v1/bookings`, method: "POST", body: input, connections: 50 };
  const make = (amount) =>
    load(bench.peers.autocannon, { ...ask, amount, headers: { ...sandbox.headers, ...JSON_TYPE } });
  const [first, all] = bench.quick ? [2000, 10_000] : [20_000, 100_000];
  try {
    const empty = await usageOf(sandbox);
    await make(first);
    const some = await usageOf(sandbox);
    await make(all - first);
    const many = await usageOf(sandbox);
    bench.row(`heap after ${first.toLocaleString("en")} creates with messages`, {
      ours: some.used,
      unit: " MB",
      goals: [["", some.used, "≤", 200, " MB"]],
    });
    bench.row("of it in use", { ours: some.live, unit: " MB" });
    const each = ((many.live - empty.live) / all) * 1000;
    bench.row(`memory in use for a booking, of ${all.toLocaleString("en")}`, {
      ours: each,
      unit: " kB",
      goals: [["", each, "≤", 5, " kB"]],
    });
  } finally {
    await sandbox.stop();
    await stop();
  }
}

/** In MB: the heap as it is, and what is left of it and beside it once it is cleared. */
export async function usageOf({ signal, said }) {
  const before = said().length;
  signal("SIGUSR2");
  while (!said().slice(before).includes("\n")) await new Promise((resolve) => setTimeout(resolve, 20));
  const { used, live } = JSON.parse(said().slice(before));
  return { used: used / 1e6, live: live / 1e6 };
}
