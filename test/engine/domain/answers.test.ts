// Questions to guests: required ones are answered where answers can be given, once each; a blank is no answer.
// Assumption: required-question.
import { describe, expect, it } from "vitest";
import { book, item, type TestWorld, worldForTests } from "../../world-for-tests.ts";

const swims = (answer: string, ticket?: number) => ({
  information_request_id: "ask-swim",
  answer,
  ...(ticket === undefined ? {} : { ticket }),
});
const hotel = (answer: string) => ({ information_request_id: "ask-hotel", answer });
const question = (id: string, scope: string, required = true) => ({ id, scope, required, type: "TEXT", label: "?" });

/** As it is stored: with the question as it was asked. */
const answered = (answer: object) => ({ ...answer, label: { da: "?" } });

function asking(...information_requests: object[]): TestWorld {
  const world = worldForTests();
  world.act("updateExperience", { experience_id: "exp-tour", information_requests });
  return world;
}
const bothRequested = () => asking(question("ask-swim", "TICKET"), question("ask-hotel", "BOOKING"));
const input = (answers?: object[], more: object = {}) => ({
  event_id: "evt-noon",
  customer: { name: "Bo" },
  items: [item("var-adult", 2)],
  ...(answers ? { answers } : {}),
  ...more,
});
const ALL = [swims("Yes", 0), swims("No", 1), hotel("Astoria")];

describe.each<[act: "bookAsHost" | "bookTimeslot", more: object]>([
  ["bookAsHost", {}],
  ["bookTimeslot", { event_id: undefined, experience_id: "exp-tour", start_time: "2030-06-04T06:00" }],
])("%s", (act, more) => {
  it.each<[string, object[] | undefined, string[]]>([
    ["nothing", undefined, ["ask-swim is required and has no answer for ticket 0", "ticket 1", "ask-hotel"]],
    ["one ticket only", [swims("Yes"), hotel("Astoria")], ["for ticket 1"]],
    ["the tickets only", ALL.slice(0, 2), ["ask-hotel is required and has no answer."]],
    ["with blanks", [swims("", 0), swims(" \n", 1), hotel("\t")], ["ticket 0", "ticket 1", "ask-hotel"]],
  ])("rejects a booking that answers %s", (_, answers, sentences) => {
    const world = bothRequested();
    expect(world.refusal(act, input(answers, more))).toBe("INVALID_INPUT");
    for (const sentence of sentences) expect(() => world.act(act, input(answers, more))).toThrow(sentence);
    expect(() => world.act(act, input(answers, more))).toThrow("skip_answers");
    expect(world.collections.bookings.size).toBe(0);
  });

  it("accepts a booking that answers everything, or that omits the answers", () => {
    expect(bothRequested().refusal(act, input(ALL, more))).toBe("done");
    expect(bothRequested().refusal(act, input(undefined, { ...more, skip_answers: true }))).toBe("done");
    expect(bothRequested().refusal(act, input(undefined, { ...more, skip_answers: false }))).toBe("INVALID_INPUT");
  });
});

describe("A checkout", () => {
  it("can begin without answers, and is completed with them", () => {
    const world = bothRequested();
    const { id } = world.act("startCheckout", input([swims("Yes", 0)]));
    const complete = (answers?: object[]) => ({ booking_id: id, ...(answers ? { answers } : {}) });
    expect(world.refusal("completeCheckout", complete())).toBe("INVALID_INPUT");
    expect(world.booking(id).status).toBe("PROCESSING");
    expect(() => world.act("completeCheckout", complete([swims("No", 1)]))).toThrow("ask-hotel is required");
    expect(world.refusal("completeCheckout", complete([swims("Never", 0), swims("No", 1), hotel("Astoria")]))).toBe(
      "done",
    );
    const [first, second] = world.tickets(id).map((ticket) => ticket.id);
    expect(world.booking(id).answers).toEqual([
      answered({ ...swims("Never"), ticket_id: first }),
      answered({ ...swims("No"), ticket_id: second }),
      answered(hotel("Astoria")),
    ]);
  });

  it("with all answers at its beginning needs nothing more", () => {
    const world = bothRequested();
    const { id } = world.act("startCheckout", input(ALL));
    expect(world.refusal("completeCheckout", { booking_id: id })).toBe("done");
    expect(world.booking(id).answers).toHaveLength(3);
  });
});

describe("One question", () => {
  it.each<[string, object[]]>([
    ["of a booking twice", [hotel("Astoria"), hotel("Ritz")]],
    ["of a ticket twice", [swims("Yes", 1), swims("No", 1)]],
    ["of the first ticket, by name and without", [swims("Yes", 0), swims("No")]],
  ])("%s is rejected", (_, answers) => {
    const world = bothRequested();
    expect(() => world.act("bookAsHost", input([...ALL.slice(3), ...answers]))).toThrow(
      /^body\.answers\.1: ask-\w+ is answered by body\.answers\.0 already/,
    );
    expect(world.refusal("startCheckout", input(answers))).toBe("INVALID_INPUT");
  });

  it("can have one answer and one blank answer, which is not stored", () => {
    const world = asking(question("ask-hotel", "BOOKING", false));
    const { id } = world.act("bookAsHost", input([hotel(""), hotel("Astoria"), hotel(" ")]));
    expect(world.booking(id).answers).toEqual([answered(hotel("Astoria"))]);
  });

  it("with scope TICKET is about the first ticket by default", () => {
    const world = asking(question("ask-swim", "TICKET", false));
    const { id } = world.act("bookAsHost", input([swims("Yes")]));
    expect(world.booking(id).answers).toEqual([answered({ ...swims("Yes"), ticket_id: world.tickets(id)[0]?.id })]);
  });
});

it("A host's booking uses the first language of the storefront by default", () => {
  const world = worldForTests();
  expect(world.booking(book(world).id).locale).toBe("da");
  expect(world.booking(book(world, { locale: "en" }).id).locale).toBe("en");
});
