// A console that is left open all day, in quick motion: what the page holds is bounded, the stories, the nodes that show them, and so its
// memory. SANDBOX_STORIES=72000 for as many stories as in an hour at 20 requests a second.
import { expect, it } from "vitest";
import { inBrowser } from "../browser/browser-kit.ts";

const STORIES = Number(process.env.SANDBOX_STORIES ?? 36_000);
const AT_ONCE = 20;
const EACH = 6000;
/** The stories that a page keeps, and those that it lets go in one go. */
const MOST_STORIES = 21_000;

inBrowser("The timeline over hours", (kit) => {
  it("keeps traces, nodes and memory constant after it drops the first traces", async () => {
    const headers = { authorization: `Bearer ${await kit.sandbox.token()}` };
    const request = async () => (await fetch(`${kit.sandbox.url}/v1/me`, { headers })).arrayBuffer();
    const page = await kit.open("/_sandbox/ui");
    await page.getByText("live", { exact: true }).waitFor();
    const tools = await page.context().newCDPSession(page);
    await tools.send("HeapProfiler.enable");
    const measured: { stories: number; nodes: number; megabytes: number }[] = [];
    for (let sent = AT_ONCE; sent <= STORIES; sent += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, request));
      if (sent % EACH !== 0) continue;
      await tools.send("HeapProfiler.collectGarbage");
      const { usedSize } = await tools.send("Runtime.getHeapUsage");
      const { nodes } = await tools.send("Memory.getDOMCounters");
      const stories = Number((await page.locator(".bar [role=status]").innerText()).replaceAll(/\D/g, ""));
      measured.push({ stories, nodes, megabytes: usedSize / 1e6 });
    }
    // More than a page keeps have gone by at the fourth.
    const [full, ...later] = measured.slice(3);
    expect(later.length).toBeGreaterThan(0);
    for (const { stories, nodes, megabytes } of later) {
      expect(stories).toBeLessThanOrEqual(MOST_STORIES);
      expect(nodes).toBeLessThan(2000);
      expect(megabytes).toBeLessThan((full?.megabytes ?? 0) * 1.25);
    }
  });
});
