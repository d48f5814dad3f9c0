// A console that is left open all day: as many stories as in an hour at 20 requests a second, in quick motion. What the page holds is
// bounded: the stories, the nodes that show them, and so its memory.
import { expect, it } from "vitest";
import { inBrowser } from "../browser/browser-kit.ts";

const HOUR = 72_000;
const AT_ONCE = 20;
const EACH = 10_000;
/** The stories that a page keeps, and those that it lets go in one go. */
const MOST_STORIES = 21_000;

inBrowser("The timeline over an hour", (kit) => {
  it("holds as many stories and nodes at its end as after a third of it, and no more memory", async () => {
    const headers = { authorization: `Bearer ${await kit.sandbox.token()}` };
    const request = async () => (await fetch(`${kit.sandbox.url}/v1/me`, { headers })).arrayBuffer();
    const page = await kit.open("/_sandbox/ui");
    await page.getByText("live", { exact: true }).waitFor();
    const tools = await page.context().newCDPSession(page);
    await tools.send("HeapProfiler.enable");
    const measured: { stories: number; nodes: number; megabytes: number }[] = [];
    for (let sent = AT_ONCE; sent <= HOUR; sent += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, request));
      if (sent % EACH !== 0) continue;
      await tools.send("HeapProfiler.collectGarbage");
      const { usedSize } = await tools.send("Runtime.getHeapUsage");
      const { nodes } = await tools.send("Memory.getDOMCounters");
      const stories = Number((await page.locator(".bar [role=status]").innerText()).replaceAll(/\D/g, ""));
      measured.push({ stories, nodes, megabytes: usedSize / 1e6 });
    }
    const [, , third, ...later] = measured;
    for (const { stories, nodes, megabytes } of later) {
      expect(stories).toBeLessThanOrEqual(MOST_STORIES);
      expect(nodes).toBeLessThan(2000);
      expect(megabytes).toBeLessThan((third?.megabytes ?? 0) * 1.25);
    }
  });
});
