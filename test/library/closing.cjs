// A process of its own that uses the built library once and closes it: it must then end by itself, having said nothing and, where
// it may not, written nothing. What it found goes out in one write at the very end.
const { writeSync } = require("node:fs");
const { join } = require("node:path");
const { startSandbox } = require(join(__dirname, "../../dist/index.cjs"));

void (async () => {
  const { countTenths } = await import("../tenths.mjs");
  const sandbox = await startSandbox({ clock: "2030-06-01T09:00:00Z", webhookUrl: "http://127.0.0.1:9/hook" });
  const world = await sandbox.world();
  const headers = { authorization: `Bearer ${await world.token(["booking.read"])}` };
  const { status } = await fetch(`${world.url}/v1/bookings`, { headers });
  // Nobody waits for this answer any more.
  await world.faults.arm({ operation: "listBookings", delay_ms: 60_000, times: 1 });
  await fetch(`${world.url}/v1/bookings`, { headers, signal: AbortSignal.timeout(50) }).catch(() => {});
  await sandbox.act("createEvent", {
    experience_id: "exp-canal",
    sessions: [{ start_time: "2030-06-02T09:00:00", end_time: "2030-06-02T10:00:00" }],
    capacity: 5,
  });
  await world.clock.advance("P1D");
  await world.clock.run();
  // Nor does anybody wait for this message once the sandbox is closed.
  const late = world.webhooks.waitFor("v1.event.deleted", { timeout: 60_000 }).catch(({ code }) => code);
  await world.requests();
  await sandbox.close();
  // The other ends of the connections, which are this process's own fetch, notice within a few turns of the event loop.
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 5));
  const ended = await late;
  // A library's mere look at process.stderr opens that pipe, and no process is kept by it.
  const active = process.getActiveResourcesInfo().filter((name) => name !== "PipeWrap");
  const tenths = countTenths();
  process.on("exit", () => {
    writeSync(1, JSON.stringify({ status, late: ended, active, tenths: tenths() }));
  });
})();
