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
const start = performance.now();
await page.reload();
await page.getByRole("link", { name: /getMe/ }).first().waitFor();
console.log(`opened anew: first lines after ${(performance.now() - start).toFixed(0)} ms`);
await browser.close();
await sandbox.close();
