// Where one thing about a delivery happens while another is under way: what is in flight when somebody gives up, closes, disables, or
// puts the world back; connections that end, answers that come in pieces, waits that are longer than a timer.
import { afterEach, describe, expect, it, vi } from "vitest";
import { isPublicTarget } from "../../../src/engine/domain/company/subscription.ts";
import { book, eventually, later, makeHouse, NOON, receive, sendBookingTo, startDispatcher, subscribe } from "./kit.ts";

afterEach(() => void vi.restoreAllMocks());

/** A receiver that answers when it is told to. */
async function answering() {
  const answers: ((status: number) => void)[] = [];
  const made = await receive((response) => void answers.push((status) => void response.writeHead(status).end()));
  return { ...made, answers };
}

describe("A response", () => {
  it.each([
    [200, "ACCEPTED"],
    [299, "ACCEPTED"],
    [300, "REFUSED"],
    [304, "REFUSED"],
    [404, "REFUSED"],
  ])("of %s counts as %s", async (status, outcome) => {
    const { url } = await receive((response) => void response.writeHead(status).end());
    const { sandbox } = sendBookingTo(url, 60_000);
    await eventually(() => sandbox.attempts.length === 1);
    expect(sandbox.deliveries()[0]!.attempts[0]).toMatchObject({ outcome, answer: { status } });
    expect(sandbox.deliveries()[0]!.state).toBe(outcome === "ACCEPTED" ? "DELIVERED" : "PENDING");
  });

  it("on a connection that the receiver had closed is repeated on another one, as one attempt", async () => {
    const used = new Set<unknown>();
    const { url, got } = await receive((response) => {
      if (used.has(response.socket)) return void response.socket?.destroy();
      used.add(response.socket);
      response.end();
    });
    const { sandbox } = sendBookingTo(url, 60_000);
    await eventually(() => sandbox.attempts.length === 1);
    sandbox.commit((tx) => book(tx));
    await eventually(() => sandbox.attempts.length === 2);
    expect(sandbox.deliveries().map(({ state, tries }) => `${state} ${tries}`)).toEqual(["DELIVERED 1", "DELIVERED 1"]);
    expect(got.map(({ headers }) => headers["webhook-id"])).toEqual(
      [0, 1, 1].map((index) => sandbox.messages()[index]!.id),
    );
  });
});

describe("A delivery that was given up", () => {
  it("while it was in flight stays given up, and its attempt is recorded", async () => {
    const { url, until, answers } = await answering();
    const { sandbox, messages } = sendBookingTo(url, 60_000);
    await until(1);
    messages.endPendingDeliveries(sandbox.own, sandbox.messages()[0]!.id);
    answers[0]!(500);
    await eventually(() => sandbox.attempts.length === 1);
    expect(sandbox.deliveries()[0]).toMatchObject({ state: "GIVEN_UP", tries: 1, attempts: [{ outcome: "REFUSED" }] });
    expect(sandbox.deliveries()[0]!.next_attempt_at).toBeUndefined();
  });

  it("and resent manually restarts its schedule when it fails", async () => {
    const { url } = await receive((response) => void response.writeHead(500).end());
    const { sandbox, messages } = sendBookingTo(url, 60_000);
    await eventually(() => sandbox.attempts.length === 1);
    const { id } = sandbox.messages()[0]!;
    messages.endPendingDeliveries(sandbox.own, id);
    messages.resend(sandbox.own, id);
    await eventually(() => sandbox.attempts.length === 2);
    expect(sandbox.deliveries()[0]).toMatchObject({ state: "PENDING", tries: 1, next_attempt_at: later(NOON, "PT5S") });
    expect(sandbox.deliveries()[0]!.settled_at).toBeUndefined();
  });

  it("is never one that was delivered", async () => {
    const { url } = await receive();
    const { sandbox, messages } = sendBookingTo(url, 60_000);
    await eventually(() => sandbox.attempts.length === 1);
    const view = messages.endPendingDeliveries(sandbox.own, sandbox.messages()[0]!.id);
    expect(view?.deliveries).toMatchObject([{ state: "DELIVERED" }]);
  });
});

describe("The dispatcher", () => {
  it("lists a summary in the order of due times, whichever response was first", async () => {
    const sandbox = makeHouse();
    const { url, until, got, answers } = await answering();
    for (const index of [1, 2, 3]) subscribe(sandbox, `${url}/${index}`, ["v1.booking.created"]);
    sandbox.commit((tx) => book(tx));
    const dispatcher = startDispatcher(sandbox, 60_000);
    const receipt = dispatcher.attemptDue(sandbox.own);
    await until(3);
    for (const [place, answer] of answers.toReversed().entries()) {
      answer(200);
      await eventually(() => sandbox.attempts.length === place + 1);
    }
    const ids = (await receipt).map(({ id }) => id);
    expect(got).toHaveLength(3);
    expect(ids).toEqual(
      sandbox
        .deliveries()
        .map(({ id }) => id)
        .sort(),
    );
    expect(sandbox.attempts.map(({ delivery }) => delivery.id)).not.toEqual(ids);
  });

  it("starts nothing more while it is closing, even when an attempt in flight ends", async () => {
    const { url, until, got, answers } = await answering();
    const { sandbox, dispatcher } = sendBookingTo(url, 60_000);
    for (let count = 0; count < 2; count++) sandbox.commit((tx) => book(tx));
    await until(1);
    const closed = dispatcher.close();
    answers[0]!(200);
    await closed;
    expect(sandbox.attempts).toHaveLength(1);
    expect(got).toHaveLength(1);
    expect(sandbox.deliveries().map(({ state }) => state)).toEqual(["DELIVERED", "PENDING", "PENDING"]);
  });

  it("records no attempt that ends after its world was restored", async () => {
    const { url, until, answers } = await answering();
    const { sandbox, dispatcher } = sendBookingTo(url, 60_000);
    await until(1);
    const writing = vi.spyOn(sandbox, "change");
    sandbox.reopen();
    answers[0]!(200);
    await dispatcher.close();
    expect(writing).not.toHaveBeenCalled();
    expect(sandbox.deliveries()[0]).toMatchObject({ state: "PENDING", attempts: [] });
  });

  it("waits longer than the maximum of a timer without polling", async () => {
    const sandbox = makeHouse();
    sandbox.run();
    const days = 40 * 24 * 3600;
    const timers = vi.spyOn(globalThis, "setTimeout");
    const { url, got } = await receive(
      (response) => void response.writeHead(503, { "retry-after": String(days) }).end(),
    );
    sendBookingTo(url, 60_000, sandbox);
    await eventually(() => sandbox.attempts.length === 1);
    const waits = timers.mock.calls.map(([, wait]) => wait ?? 0);
    expect(Math.max(...waits)).toBe(2 ** 31 - 1);
    expect(got).toHaveLength(1);
  });
});

it.each([
  ["172.15.255.255", true],
  ["172.16.0.0", false],
  ["172.19.0.1", false],
  ["172.20.0.1", false],
  ["172.29.0.1", false],
  ["172.30.0.1", false],
  ["172.31.255.255", false],
  ["172.32.0.0", true],
  ["10.0.0.1", false],
  ["11.0.0.1", true],
  ["192.168.0.1", false],
  ["192.169.0.1", true],
  ["127.0.0.1", false],
  ["[::1]", false],
  ["[fd12::1]", false],
  ["[2001:db8::1]", true],
  ["localhost", false],
  ["hooks.test", false],
  ["hooks.example.com", true],
])("The host %s is public: %s", (host, isPublic) => {
  expect(isPublicTarget(`http://${host}/hook`)).toBe(isPublic);
});
