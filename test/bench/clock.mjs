// One move of the clock over thousands of things that are due, of each kind, with and without a receiver of webhooks; and how long
// requests to another world wait meanwhile.
import { receiver } from "./receiver.mjs";
import { CLOCK, furnished, JSON_TYPE } from "./sandboxes.mjs";

const PORT = 4610;
const AT_ONCE = 20;
const guest = { name: "A Guest", email: "guest@example.com" };

/** What makes one thing due, and how far the clock is moved then. */
const KINDS = {
  "checkouts that lapse": {
    act: "startCheckout",
    input: () => ({
      event_id: "evt-big",
      customer: guest,
      items: [{ type_id: "var-adult", item_type: "VARIANT", quantity: 1 }],
    }),
    by: "PT1H",
  },
  "gift cards that expire": {
    act: "issueGiftCard",
    input: () => ({ initial_value: 50_000, expires_at: "2030-06-02T09:00:00Z" }),
    by: "P2D",
  },
  "documents of sales": {
    act: "bookAsHost",
    input: () => ({
      event_id: "evt-big",
      customer: guest,
      items: [{ type_id: "var-adult", item_type: "VARIANT", quantity: 1 }],
      payments: [{}],
    }),
    by: "PT1H",
  },
  "events that end": {
    act: "createEvent",
    input: (position) => ({
      experience_id: "exp-canal",
      capacity: 10,
      sessions: [sessionOn(position)],
    }),
    by: "P60D",
  },
};

/** Many instants, for the clock to stop at. */
function sessionOn(position) {
  const day = 2 + (position % 28);
  const text = (hour) => `2030-06-${String(day).padStart(2, "0")}T${hour}:${String(position % 60).padStart(2, "0")}:00`;
  return { start_time: text(12), end_time: text(13) };
}

async function moved(bench, { act, input, by }, count, url) {
  const reported = url ? ["--webhook-url", url] : [];
  const args = [...(bench.node ?? []), bench.bin, "start", "--memory", "--port", PORT, "--clock", CLOCK, "--json"];
  const { control, stop, processorTime, url: base } = await furnished([...args, ...reported], PORT);
  try {
    const { id } = await control("POST", "/worlds", {});
    for (let made = 0; made < count; made += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, (_, more) => control("POST", `/acts/${act}`, input(made + more))),
      );
    await control("POST", "/clock/advance", { by: "PT0S" });
    const beside = waitsOf(`${base}/_sandbox/clock?world=${id}`);
    const [began, before] = [performance.now(), processorTime()];
    // Its receipt is not parsed: who waits meanwhile is in this process too.
    const body = JSON.stringify({ by });
    const answer = await fetch(`${base}/_sandbox/clock/advance`, { method: "POST", headers: JSON_TYPE, body });
    if (!answer.ok) throw new Error(`the clock answered ${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
    const ms = performance.now() - began;
    return { ms, cpu: processorTime() - before, ...(await beside.ended()) };
  } finally {
    await stop();
  }
}

/** Asks again and again, with a pause, and tells how long it waited. */
function waitsOf(url) {
  const waits = [];
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const began = performance.now();
      await (await fetch(url)).arrayBuffer();
      waits.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  })();
  return {
    async ended() {
      isOver = true;
      await asking;
      waits.sort((a, b) => a - b);
      return { p99: waits[Math.floor(waits.length * 0.99)], longest: waits.at(-1) };
    },
  };
}

export async function clock(bench) {
  const { url, stop } = await receiver();
  const count = bench.quick ? 2000 : 10_000;
  for (const [name, kind] of Object.entries(KINDS)) {
    for (const to of [undefined, url]) {
      const { ms, cpu, p99 } = await moved(bench, kind, count, to);
      bench.row(`move over ${count.toLocaleString("en")} ${name}${to ? ", with webhooks" : ""}`, {
        ours: ms / 1000,
        unit: " s",
        goals: [
          ["", ms / 1000, "≤", (3 * count) / 10_000, " s"],
          ["of the processor", cpu / 1000, "≤", (3 * count) / 10_000, " s"],
          ["p99 of others' waits", p99, "≤", 50, " ms"],
        ],
      });
    }
  }
  await stop();
}
