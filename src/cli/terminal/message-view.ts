// Formats webhook messages: as a list, and one in full with its body, its deliveries and all attempts.

import type { Schemas } from "../../client/control.ts";
import { formatInFlight, formatNextAttempt } from "../../client/delivery-text.ts";
import { count } from "../../platform/count.ts";
import { NO_SUBSCRIBER } from "../../platform/states-text.ts";
import { type Detail, formatBlock, formatBody, formatHeaders, formatLabels } from "./document-lines.ts";
import type { Look } from "./line.ts";
import { createDayBreaks, dropFullStop, escapeText, formatLaterTime, formatStatus } from "./line.ts";
import { cut, fitText, formatColumns, measureWidth, type Style, type Terminal, wrap } from "./terminal.ts";

export type Message = Schemas["Message"];
type Delivery = Schemas["Delivery"];
type Attempt = Schemas["Attempt"];

const STYLES: Record<Delivery["state"], Style> = {
  PENDING: "yellow",
  DELIVERED: "green",
  GIVEN_UP: "red",
  DROPPED: "dim",
};
/** The beginning of a response's body usually contains the reason of a failure. */
const MAX_RESPONSE_CHARACTERS = 200;
/** Terminals of at least this width also show the date, the subject and the cause of a message. */
const MIN_WIDE = 140;
const INDENT = " ".repeat(10);

/** Formats one line per message, with its unfinished and failed deliveries below it. */
export function formatMessages(messages: readonly Message[], look: Look): string[] {
  const { paint, width } = look;
  const isWide = width >= MIN_WIDE;
  const rows = messages.map(({ id, kind, about, created_at, deliveries, caused_by }) => [
    paint("dim", isWide ? created_at.slice(0, 19).replace("T", " ") : created_at.slice(11, 19)),
    id,
    paint("bold", kind),
    formatDeliveryStates(deliveries, paint),
    ...(isWide ? [escapeText(about?.title ?? about?.id ?? ""), paint("dim", `by ${escapeText(caused_by)}`)] : []),
  ]);
  // If one line is too long, all messages take two lines, so that the columns stay aligned.
  const wide = formatColumns(rows);
  const heads = wide.every((row) => measureWidth(row) <= width)
    ? wide
    : rows.map((row, at) => formatOnTwoLines(row, messages[at]?.about?.title ?? "", width));
  const formatDayBreak = createDayBreaks(look);
  return messages.flatMap(({ created_at, deliveries }, at) => {
    const open = deliveries.filter(({ state }) => state === "PENDING" || state === "GIVEN_UP");
    return [
      ...(isWide ? [] : formatDayBreak({ at: created_at })),
      heads[at] ?? "",
      ...formatDeliveries({ deliveries: open }, look, INDENT),
    ];
  });
}

function formatOnTwoLines([time, id, kind, states]: readonly string[], title: string, width: number): string {
  const lines = [`${time}  ${kind}  ${states}`, `      ${id}`, ...(title ? [`      ${escapeText(title)}`] : [])];
  return fitText(lines.join("\n"), width);
}

function formatDeliveryStates(deliveries: readonly Delivery[], paint: Terminal["paint"]): string {
  if (deliveries.length === 0) return paint("dim", NO_SUBSCRIBER);
  const states = [...new Set(deliveries.map(({ state }) => state))];
  return states
    .map((state) => {
      const number = deliveries.filter((each) => each.state === state).length;
      return paint(STYLES[state], number === 1 && deliveries.length === 1 ? state : `${number} ${state}`);
    })
    .join(", ");
}

/** Formats deliveries as `DELIVERED  http://…  1 attempt: 204`, on several lines if one is too long. */
export function formatDeliveries(
  { deliveries }: Pick<Message, "deliveries">,
  { paint, width }: Look,
  indent: string,
): string[] {
  return deliveries.flatMap((delivery) => {
    const { state, url, attempts, in_flight_ms } = delivery;
    const last = attempts.at(-1);
    const first = in_flight_ms === undefined ? ["not attempted yet"] : [];
    const result = last && escapeText(dropFullStop(describeAttempt(last)));
    const tried = last ? [`${count(attempts.length, "attempt")}: ${result}`] : first;
    const next = describeNextStep(delivery);
    const rest = next === undefined ? tried : [...tried, next];
    const head = `${indent}${paint(STYLES[state], state)}  ${escapeText(url)}`;
    const line = `${head}  ${rest.join("; ")}`;
    return measureWidth(line) <= width ? [line] : fitText([head, ...rest].join(`\n${indent}    `), width).split("\n");
  });
}

function describeAttempt({ outcome, answer, error }: Attempt): string {
  if (outcome === "REFUSED" && answer && !error) return `receiver responded ${answer.status}`;
  // A response that was cut off or took too long has a status and an error.
  return `${answer ? answer.status : outcome}${error ? `, ${error}` : ""}`;
}

/** Describes the attempt in flight, or when the next attempt is due. */
function describeNextStep({ attempts, in_flight_ms, next_attempt_at, awaits_clock }: Delivery): string | undefined {
  if (in_flight_ms !== undefined) return formatInFlight(attempts.length, in_flight_ms);
  if (next_attempt_at === undefined) return undefined;
  return formatNextAttempt(formatLaterTime(next_attempt_at, attempts.at(-1)?.at), awaits_clock);
}

export function formatMessage(message: Message, look: Look, size: Detail): string {
  const { id, kind, about, created_at, caused_by, body, deliveries } = message;
  const { paint } = look;
  const labels = { id, about: about?.title, at: created_at, "caused by": caused_by };
  return [
    paint("bold", kind),
    ...formatLabels(labels, look),
    ...formatBlock("Body", formatBody(body, look, size), look),
    ...formatBlock("Deliveries", deliveries.length === 0 ? ["none: no subscription includes this kind"] : [], look),
    ...deliveries.flatMap((delivery) => formatDelivery(delivery, look, size)),
  ].join("\n");
}

function formatDelivery(delivery: Delivery, look: Look, size: Detail): string[] {
  const { paint } = look;
  const { url, state, subscription_id, attempts } = delivery;
  const next = describeNextStep(delivery);
  return [
    ...formatBlock(`Delivery to ${escapeText(url)}`, [paint(STYLES[state], state) + (next ? `, ${next}` : "")], look),
    `  ${paint("dim", "subscription")} ${subscription_id}`,
    ...attempts.flatMap((attempt, at) => formatAttempt(attempt, at + 1, look, size)).map((line) => `  ${line}`),
  ];
}

/** Headers and the complete response body are only shown with --full. */
function formatAttempt(attempt: Attempt, number: number, look: Look, size: Detail): string[] {
  const { at, duration_ms, outcome, request, answer, error } = attempt;
  const { paint, width } = look;
  const status = answer ? `${formatStatus(answer.status, paint)} ` : "";
  const head = `${number}. ${at}  ${status}${outcome}  ${paint("dim", `${Math.round(duration_ms)} ms`)}`;
  const start = answer && !size.full ? cut(escapeText(answer.body), Math.min(MAX_RESPONSE_CHARACTERS, width - 8)) : "";
  const whole = size.full
    ? [
        ...formatHeaders(request.headers, look, size),
        ...(answer ? ["", ...formatHeaders(answer.headers, look, size), ...formatBody(answer.body, look, size)] : []),
      ]
    : [];
  return [
    head,
    ...[...(error ? wrap(escapeText(error), width - 5) : []), start].filter(Boolean).map((line) => `   ${line}`),
    ...whole.map((line) => `   ${line}`),
  ];
}
