// The console with very much to show, in Chromium on an idle machine: `node test/bench/console.mjs [stories]`. Prints the time to the
// first lines, the nodes of the page, the frames while 100 requests a second come in, and the memory before and after.
import { createRequire } from "node:module";
import { setTimeout as pause } from "node:timers/promises";
import { chromium } from "playwright-core";

const chromiumPath = process.env.CHROMIUM ?? "/usr/bin/chromium";

const { startSandbox } = createRequire(import.meta.url)("../../dist/index.cjs");
const STORIES = Number(process.argv[2] ?? 10_000);
const AT_ONCE = 20;
const SECONDS = 10;
const ROUNDS = 5;

const sandbox = await startSandbox();
const headers = { authorization: `Bearer ${await sandbox.token()}` };
const request = async () => (await fetch(`${sandbox.url}/v1/me`, { headers })).arrayBuffer();
async function requests(count) {
  for (let sent = 0; sent < count; sent += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, request));
}

const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
const session = await page.context().newCDPSession(page);
await session.send("HeapProfiler.enable");
async function heap() {
  await session.send("HeapProfiler.collectGarbage");
  return ((await session.send("Runtime.getHeapUsage")).usedSize / 1e6).toFixed(1);
}
const nodes = () => page.evaluate("document.querySelectorAll('*').length");
const FRAMES = `new Promise((resolve) => {
  const gaps = [];
  let last = performance.now();
  const end = last + ${SECONDS * 1000};
  requestAnimationFrame(function next(now) {
    gaps.push(now - last);
    last = now;
    if (now < end) requestAnimationFrame(next);
    else resolve(gaps.sort((a, b) => a - b));
  });
})`;

await page.goto(`${sandbox.url}/_sandbox/ui`);
await page.getByText("live").waitFor();
console.log(`at first: ${await nodes()} nodes, ${await heap()} MB`);
await requests(STORIES);
await pause(1000);
console.log(
  `after ${STORIES} stories: ${await nodes()} nodes, ${await heap()} MB; ${await page.getByRole("status").first().innerText()}`,
);

const frames = page.evaluate(FRAMES);
for (let second = 0; second < SECONDS * 5; second++) {
  await requests(AT_ONCE);
  await pause(170);
}
const gaps = await frames;
console.log(
  `frames at about 100 requests a second: median ${gaps[gaps.length >> 1].toFixed(0)} ms, 99th percentile ${gaps[Math.floor(gaps.length * 0.99)].toFixed(0)} ms`,
);

await requests(STORIES);
console.log(`after ${STORIES} more: ${await nodes()} nodes, ${await heap()} MB`);

/** With 10,000 bookings, the last of which somebody has just made. */
const many = await sandbox.world();
await many.populate(10_000, { seed: "7" });
const booking = {
  ...{ event_id: "evt-tomorrow-evening", locale: "da" },
  items: [{ type_id: "var-adult", item_type: "VARIANT", quantity: 1 }],
  customer: {
    ...{ customer_type: "PRIVATE", name: "Anna Holm", email: "anna@example.com" },
    address: { address_lines: ["Nyhavn 12"], city: "København", zip_code: "1051", country: "DK" },
  },
};
const toBook = {
  method: "POST",
  headers: { authorization: `Bearer ${await many.token()}`, "content-type": "application/json" },
  body: JSON.stringify(booking),
};
for (let made = 0; made < 60; made++) await (await fetch(`${many.url}/v1/bookings`, toBook)).arrayBuffer();

/** From the navigation to the frame that shows the first line, by the page's own clock; and the processor time that its process took. */
const SEEN = `new MutationObserver((_, watch) => {
  if (!document.querySelector(".list li")) return;
  watch.disconnect();
  requestAnimationFrame(() => setTimeout(() => document.documentElement.setAttribute("data-seen", performance.now())));
}).observe(document, { childList: true, subtree: true })`;
async function firstLine(context) {
  const opened = await context.newPage();
  const tools = await context.newCDPSession(opened);
  await tools.send("Performance.enable");
  await opened.goto(`${many.url}/_sandbox/ui?world=${many.id}`);
  await opened.locator("html[data-seen]").waitFor();
  const { metrics } = await tools.send("Performance.getMetrics");
  const taken = metrics.find(({ name }) => name === "ProcessTime").value * 1000;
  const seen = Number(await opened.locator("html").getAttribute("data-seen"));
  await opened.close();
  return { seen, taken };
}
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1].toFixed(0);
for (const name of ["cold", "again"]) {
  const rounds = [];
  let context;
  for (let round = 0; round < ROUNDS; round++) {
    if (name === "cold" || !context) {
      context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      await context.addInitScript(SEEN);
      if (name === "again") await firstLine(context);
    }
    rounds.push(await firstLine(context));
  }
  const [seen, taken] = ["seen", "taken"].map((figure) => median(rounds.map((round) => round[figure])));
  console.log(`opened ${name}: first line after ${seen} ms, of which its process worked ${taken} ms`);
}
await browser.close();
await sandbox.close();
