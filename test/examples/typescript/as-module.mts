// What a suite in TypeScript sees of the library, as an ES module.
import {
  type components,
  type Fault,
  type Message,
  type Sandbox,
  SandboxError,
  startSandbox,
  type World,
} from "experience-sandbox";

type Booking = components["schemas"]["Booking"];

const busy: Fault = { operation: "createBooking", status: 503, times: 1 };

export async function cancelled(): Promise<string> {
  const sandbox: Sandbox = await startSandbox({ fixture: "harbour-tours" });
  const world: World = await sandbox.world({ seed: 7 });
  await world.faults.arm(busy);
  const token = await world.token(["booking.read"]);
  const answer = await fetch(`${world.url}/v1/bookings/bkg-evening`, { headers: { authorization: `Bearer ${token}` } });
  const booking = (await answer.json()) as Booking;
  const status: "ACTIVE" | "CANCELLED" | "CHECKED_IN" | "MOVED" | "PROCESSING" | "UNKNOWN" = booking.status;
  await world.act("cancelBooking", { booking_id: booking.id }).catch((reason: unknown) => {
    if (reason instanceof SandboxError) return reason.code;
    throw reason;
  });
  const { now, receipt } = await world.clock.advance("P1D");
  const message: Message = await world.webhooks.waitFor("v1.booking.cancelled", { times: 1, timeout: 500 });
  await sandbox.close();
  return [status, now, ...receipt.map(({ what }) => what), message.id].join();
}

// @ts-expect-error there is no such option
export const wrong = () => startSandbox({ fixtures: "harbour-tours" });
