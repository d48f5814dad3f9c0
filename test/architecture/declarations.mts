// What the compiler says to users of the library: every line after @ts-expect-error is a mistake that must not compile.
import {
  type ArmedFault,
  type Fault,
  FixtureError,
  type Message,
  PortError,
  type Sandbox,
  SandboxError,
  SettingError,
  startSandbox,
  TimeoutError,
  type World,
} from "experience-sandbox";

export async function acts(world: World): Promise<void> {
  const cancelled = await world.act("cancelBooking", { booking_id: "bkg-evening", refund: "none" });
  const status: "ACTIVE" | "CANCELLED" | "CHECKED_IN" | "MOVED" | "PROCESSING" | "UNKNOWN" = cancelled.result.status;
  const orderId: string = cancelled.result.order_id;
  const card = await world.act("issueGiftCard", { initial_value: { value: 10_000, currency: "DKK" } });
  const balance: number = card.result.balance.value;
  const secret: string = (await world.act("createKey", { name: "mine", scopes: ["booking.read"] })).result
    .client_secret;
  await world.act("checkInTicket", { ticket_id: `${status}${orderId}${balance}${secret}` });
  // @ts-expect-error no act has this name
  await world.act("cancelBoking", { booking_id: "bkg-evening" });
  // @ts-expect-error the member is booking_id
  await world.act("cancelBooking", { bookingid: "bkg-evening" });
  // @ts-expect-error booking_id is needed
  await world.act("cancelBooking", {});
  // @ts-expect-error an input is needed
  await world.act("cancelBooking");
  // @ts-expect-error there is no such refund
  await world.act("cancelBooking", { booking_id: "bkg-evening", refund: "half" });
  // @ts-expect-error a booking has no such member
  cancelled.result.state;
}

export async function webhooks(world: World): Promise<string> {
  const created = await world.webhooks.waitFor("v1.booking.created", { times: 1, timeout: 500 });
  const kind: "v1.booking.created" = created.kind;
  const bookingId: string = created.body.payload.booking_id;
  const all: Message[] = await world.webhooks.all();
  for (const message of all)
    if (message.kind === "v1.event.updated") {
      const eventId: string = message.body.payload.event_id;
      // @ts-expect-error this kind has no such member
      message.body.payload.booking_idd;
      await world.act("cancelEvent", { event_id: eventId });
    }
  // @ts-expect-error there is no such kind
  await world.webhooks.waitFor("v1.booking.exploded");
  // @ts-expect-error there is no such kind
  await world.webhooks.all("v1.bookings.created");
  // @ts-expect-error the payload has no such member
  created.body.payload.bookingId;
  return kind + bookingId;
}

export async function faults(world: World): Promise<void> {
  const busy: Fault = { operation: "createBooking", status: 503, times: 1 };
  await world.faults.arm(busy, { operation: "createToken", delay_ms: 10, when: "after", times: 2 });
  const armed: ArmedFault[] = await world.faults.list();
  await world.faults.arm(...armed);
  // @ts-expect-error there is no such operation
  await world.faults.arm({ operation: "nope", status: 503, times: 1 });
  // @ts-expect-error a message to the receiver is not an operation of the service
  await world.faults.arm({ operation: "onBookingCreated", status: 503, times: 1 });
  // @ts-expect-error it would do nothing
  await world.faults.arm({ operation: "createBooking", times: 1 });
  // @ts-expect-error there is no such way to break
  await world.faults.arm({ operation: "createBooking", connection: "cut", times: 1 });
}

export async function codesAndFacts(world: World): Promise<boolean> {
  const { facts } = await world.act("cancelBooking", { booking_id: "bkg-evening" });
  const reported: boolean = facts.some(({ fact }) => fact === "booking.cancelled");
  // @ts-expect-error there is no such fact
  facts.some(({ fact }) => fact === "booking.canceled");
  try {
    await world.clock.set("2020-01-01T00:00:00Z");
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    // @ts-expect-error there is no such code
    if (error.code === "CLOCK_BACKWARDS") return false;
    return reported && (error.code === "CLOCK_NOT_BACKWARDS" || error.code === "invalid_scope");
  }
  return reported;
}

export async function exactWords(world: World): Promise<void> {
  const scopes = ["booking.read", "order.read"] as const;
  await world.token(scopes);
  // @ts-expect-error there is no such scope
  await world.token(["booking.wrte"]);
  await world.clock.advance("P1DT2H");
  // @ts-expect-error it is no duration
  await world.clock.advance("1 day");
  // @ts-expect-error hours come after T
  await world.clock.advance("P1H");
  await world.assume({ "list-parameter-repeated": "union" } as const);
  // @ts-expect-error there is no such assumption
  await world.assume({ "list-parameters-repeated": "union" });
  // @ts-expect-error the assumption has no such value
  await world.assume({ "list-parameter-repeated": "join" });
  const kinds = ["request", "act"] as const;
  await world.log({ kinds, operation: "cancelBooking" });
  await world.log({ operation: "createBooking" });
  // @ts-expect-error there is no such operation and no such act
  await world.log({ operation: "createBookings" });
  await world.webhooks.waitFor("v1.booking.created", { payload: { booking_id: "bkg-evening" } });
  // @ts-expect-error the payload has no such member
  await world.webhooks.waitFor("v1.booking.created", { payload: { bookingId: "bkg-evening" } });
}

export async function clockAndLog(world: World): Promise<string> {
  const { now, receipt } = await world.clock.advance("P1D");
  await world.clock.set(new Date(now));
  const completed = receipt.filter(({ what }) => what === "eventCompleted").map(({ id }) => id);
  // @ts-expect-error nothing of this name falls due
  receipt.filter(({ what }) => what === "eventComplete");
  const [request] = await world.requests({ operation: "createBooking", status: "4xx", limit: 5 });
  // @ts-expect-error there is no such operation
  await world.requests({ operation: "createBookings" });
  // @ts-expect-error there is no such class
  await world.requests({ status: "9xx" });
  return [...completed, request?.violations[0]?.code ?? ""].join();
}

export async function options(): Promise<void> {
  await using sandbox: Sandbox = await startSandbox({ clock: new Date(), rateLimit: "60/min", assume: ["tickets=x"] });
  await using world = await sandbox.world({
    webhookUrl: "http://127.0.0.1:3000",
    webhookEvents: ["v1.booking.created"],
  });
  const secret: string | undefined = world.webhookSecret;
  await startSandbox({
    rateLimit: 60,
    assume: { tickets: "per-booking" },
    webhookUrl: secret,
    webhookEvents: "v1.booking.created",
  });
  // @ts-expect-error there is no such option
  await startSandbox({ fixtures: "harbour-tours" });
  // @ts-expect-error there is no such assumption
  await startSandbox({ assume: { ticket: "per-booking" } });
  // @ts-expect-error the assumption has no such value
  await startSandbox({ assume: { tickets: "x" } });
  // @ts-expect-error there is no such kind
  await startSandbox({ webhookUrl: secret, webhookEvents: "v1.booking.create" });
  // @ts-expect-error it is a number a minute
  await startSandbox({ rateLimit: "60/hour" });
  // @ts-expect-error there is no such kind
  await sandbox.world({ webhookEvents: ["v1.booking.exploded"] });
  // @ts-expect-error a world has the port of its sandbox
  await sandbox.world({ port: 1 });
}

export function codeOf(reason: unknown): string {
  if (reason instanceof SandboxError) return `${reason.status} ${reason.code}`;
  if (reason instanceof FixtureError) return reason.problems.map(({ file }) => file).join();
  if (reason instanceof SettingError || reason instanceof PortError || reason instanceof TimeoutError)
    return reason.code;
  throw reason;
}
