// A process of its own that uses the built library and leaves its sandbox open, with a subscription that nobody answers for.
const { join } = require("node:path");
const { startSandbox } = require(join(__dirname, "../../dist/index.cjs"));

void (async () => {
  const sandbox = await startSandbox({ webhookUrl: "http://127.0.0.1:9/hook" });
  const world = await sandbox.world();
  await world.faults.arm({ operation: "listBookings", delay_ms: 300, times: 1 });
  const headers = { authorization: `Bearer ${await world.token(["booking.read"])}` };
  const answer = await fetch(`${world.url}/v1/bookings`, { headers });
  await answer.json();
  await sandbox.act("cancelBooking", { booking_id: "bkg-evening" });
  const received = (await world.requests({ operation: "listBookings" })).length;
  process.stdout.write(JSON.stringify({ status: answer.status, received }));
})();
