// Webhook messages for a person: a line each in a list; as a whole with its body, its deliveries and every attempt.

import type { Schemas } from "../../client/control.ts";
import { formatInFlight, formatNextAttempt } from "../../client/delivery-text.ts";
import { count } from "../../platform/count.ts";
import { NOBODY } from "../../platform/states-text.ts";
import { bodyLines, headerLines, labelLines, type Size, titled } from "./document-lines.ts";
import type { Look } from "./line.ts";
import { dayBreaks, laterTime, plain, statusText, withoutStop } from "./line.ts";
import { columns, cut, fitted, type Style, type Terminal, widthOf, wrap } from "./terminal.ts";

export type Message = Schemas["Message"];
type Delivery = Schemas["Delivery"];
type Attempt = Schemas["Attempt"];

const STYLES: Record<Delivery["state"], Style> = {
  PENDING: "yellow",
  DELIVERED: "green",
  GIVEN_UP: "red",
  DROPPED: "dim",
};
/** Characters of a response's body; the beginning mostly says what was wrong. */
const RESPONSE_START = 200;
/** From here on there is room for the day, what it is about, and the cause; below, the day stands above its messages. */
const WIDE = 140;
/** Of deliveries below their message. */
const INDENT = " ".repeat(10);

/** One line a message, and below it each delivery that has not arrived. */
export function messageLines(messages: readonly Message[], look: Look): string[] {
  const { paint, width } = look;
  const isWide = width >= WIDE;
  const rows = messages.map(({ id, kind, about, created_at, deliveries, caused_by }) => [
    paint("dim", isWide ? created_at.slice(0, 19).replace("T", " ") : created_at.slice(11, 19)),
    id,
    paint("bold", kind),
    statesOf(deliveries, paint),
    ...(isWide ? [plain(about?.title ?? about?.id ?? ""), paint("dim", `by ${plain(caused_by)}`)] : []),
  ]);
  // One line each where all fit, otherwise two for all, so that the list stays even.
  const wide = columns(rows);
  const heads = wide.every((row) => widthOf(row) <= width)
    ? wide
    : rows.map((row, at) => formatOnTwoLines(row, messages[at]?.about?.title, width));
  const dayOf = dayBreaks(look);
  return messages.flatMap(({ created_at, deliveries }, at) => {
    // One that has arrived needs no further line.
    const open = deliveries.filter(({ state }) => state === "PENDING" || state === "GIVEN_UP");
    return [
      ...(isWide ? [] : dayOf({ at: created_at })),
      heads[at] ?? "",
      ...deliveryLines({ deliveries: open }, look, INDENT),
    ];
  });
}

const formatOnTwoLines = (
  [time, id, kind, states]: readonly string[],
  title: string | undefined,
  width: number,
): string =>
  fitted([`${time}  ${kind}  ${states}`, `      ${id}`, ...(title ? [`      ${plain(title)}`] : [])].join("\n"), width);

function statesOf(deliveries: readonly Delivery[], paint: Terminal["paint"]): string {
  if (deliveries.length === 0) return paint("dim", NOBODY);
  const states = [...new Set(deliveries.map(({ state }) => state))];
  return states
    .map((state) => {
      const number = deliveries.filter((each) => each.state === state).length;
      return paint(STYLES[state], number === 1 && deliveries.length === 1 ? state : `${number} ${state}`);
    })
    .join(", ");
}

/** `DELIVERED  http://…  1 attempt: 204`, and what has no room on further lines. */
export function deliveryLines(
  { deliveries }: Pick<Message, "deliveries">,
  { paint, width }: Look,
  indent: string,
): string[] {
  return deliveries.flatMap((delivery) => {
    const { state, url, attempts, in_flight_ms } = delivery;
    // The last attempt says how it stands; all of them are in the view of one message.
    const last = attempts.at(-1);
    const first = in_flight_ms === undefined ? ["not attempted yet"] : [];
    const tried = last ? [`${count(attempts.length, "attempt")}: ${plain(withoutStop(resultOf(last)))}`] : first;
    const next = nextStep(delivery);
    const rest = next === undefined ? tried : [...tried, next];
    const head = `${indent}${paint(STYLES[state], state)}  ${plain(url)}`;
    const line = `${head}  ${rest.join("; ")}`;
    return widthOf(line) <= width ? [line] : fitted([head, ...rest].join(`\n${indent}    `), width).split("\n");
  });
}

function resultOf({ outcome, answer, error }: Attempt): string {
  if (outcome === "REFUSED" && answer && !error) return `receiver responded ${answer.status}`;
  // An answer that was cut or took too long has a status, and failed all the same.
  return `${answer ? answer.status : outcome}${error ? `, ${error}` : ""}`;
}

/** The attempt in flight, or when the next one is made. */
function nextStep({ attempts, in_flight_ms, next_attempt_at, awaits_clock }: Delivery): string | undefined {
  if (in_flight_ms !== undefined) return formatInFlight(attempts.length, in_flight_ms);
  if (next_attempt_at === undefined) return undefined;
  return formatNextAttempt(laterTime(next_attempt_at, attempts.at(-1)?.at), awaits_clock);
}

export function messageView(message: Message, look: Look, size: Size): string {
  const { id, kind, about, created_at, caused_by, body, deliveries } = message;
  const { paint } = look;
  const labels = { id, about: about?.title, at: created_at, "caused by": caused_by };
  return [
    paint("bold", kind),
    ...labelLines(labels, look),
    ...titled("Body", bodyLines(body, look, size), look),
    ...titled("Deliveries", deliveries.length === 0 ? ["none: no subscription took this kind"] : [], look),
    ...deliveries.flatMap((delivery) => deliveryView(delivery, look, size)),
  ].join("\n");
}

function deliveryView(delivery: Delivery, look: Look, size: Size): string[] {
  const { paint } = look;
  const { url, state, subscription_id, attempts } = delivery;
  const next = nextStep(delivery);
  return [
    ...titled(`Delivery to ${plain(url)}`, [`${paint(STYLES[state], state)}${next ? `, ${next}` : ""}`], look),
    `  ${paint("dim", "subscription")} ${subscription_id}`,
    ...attempts.flatMap((attempt, at) => attemptLines(attempt, at + 1, look, size)).map((line) => `  ${line}`),
  ];
}

/** Headers of a response only where all is asked for: they seldom matter. */
function attemptLines(attempt: Attempt, number: number, look: Look, size: Size): string[] {
  const { at, duration_ms, outcome, request, answer, error } = attempt;
  const { paint, width } = look;
  const status = answer ? `${statusText(answer.status, paint)} ` : "";
  const head = `${number}. ${at}  ${status}${outcome}  ${paint("dim", `${Math.round(duration_ms)} ms`)}`;
  const start = answer && !size.full ? cut(plain(answer.body), Math.min(RESPONSE_START, width - 8)) : "";
  const whole = size.full
    ? [
        ...headerLines(request.headers, look, size),
        ...(answer ? ["", ...headerLines(answer.headers, look, size), ...bodyLines(answer.body, look, size)] : []),
      ]
    : [];
  return [
    head,
    ...[...(error ? wrap(plain(error), width - 5) : []), start].filter(Boolean).map((line) => `   ${line}`),
    ...whole.map((line) => `   ${line}`),
  ];
}
