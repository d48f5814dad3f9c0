// Formats webhook messages: as a list, and one in full with its body, its deliveries and all attempts.
import type { Schemas } from "../../client/control.ts";
import { formatInFlight, formatNextAttempt } from "../../client/delivery-text.ts";
import { count } from "../../platform/count.ts";
import { NO_SUBSCRIBER } from "../../platform/states-text.ts";
import {
  type Detail,
  escapeText,
  formatBlock,
  formatBody,
  formatInstant,
  formatLabels,
  formatLaterTime,
  formatParts,
  formatStatus,
  type Look,
} from "./line.ts";
import { cut, formatColumns, type Style } from "./terminal.ts";

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

/** Formats one line per message, with its unfinished and failed deliveries below it. */
export function formatMessages(messages: readonly Message[], look: Look): string[] {
  const { paint } = look;
  const heads = formatColumns(
    messages.map(({ id, kind, about, created_at, deliveries, caused_by }) => [
      paint("dim", formatInstant(created_at)),
      id,
      paint("bold", kind),
      formatDeliveryStates(deliveries, look),
      escapeText(about?.title ?? about?.id ?? ""),
      paint("dim", `by ${escapeText(caused_by)}`),
    ]),
  );
  return messages.flatMap(({ deliveries }, at) => {
    const open = deliveries.filter(({ state }) => state === "PENDING" || state === "GIVEN_UP");
    return [heads[at] ?? "", ...open.map((each) => `    ${formatDelivery(each, look)}`)];
  });
}

function formatDeliveryStates(deliveries: readonly Delivery[], { paint }: Look): string {
  if (deliveries.length === 0) return paint("dim", NO_SUBSCRIBER);
  const states = [...new Set(deliveries.map(({ state }) => state))].map((state) => {
    const number = deliveries.filter((each) => each.state === state).length;
    return paint(STYLES[state], deliveries.length === 1 ? state : `${number} ${state}`);
  });
  return states.join(", ");
}

/** Formats `DELIVERED  http://…  1 attempt: 204`. */
export function formatDelivery(delivery: Delivery, { paint }: Look): string {
  const { state, url, attempts, in_flight_ms } = delivery;
  const last = attempts.at(-1);
  const first = in_flight_ms === undefined ? "not attempted yet" : "";
  const tried = last ? `${count(attempts.length, "attempt")}: ${describeAttempt(last, last.answer?.status)}` : first;
  const progress = [tried, describeNextStep(delivery)].filter(Boolean).join("; ");
  return `${paint(STYLES[state], state)}  ${escapeText(url)}  ${escapeText(progress)}`;
}

/** Describes how an attempt ended, without a full stop. */
export function describeAttempt(
  { outcome, error }: { outcome: string; error?: string | null },
  status: number | null | undefined,
): string {
  if (error) return error.replace(/\.$/, "");
  return outcome === "REFUSED" ? `receiver responded ${status}` : String(status ?? outcome);
}

/** Describes the attempt in flight, or when the next attempt is due. */
function describeNextStep({ attempts, in_flight_ms, next_attempt_at, awaits_clock }: Delivery): string {
  if (in_flight_ms !== undefined) return formatInFlight(attempts.length, in_flight_ms);
  if (next_attempt_at === undefined) return "";
  return formatNextAttempt(formatLaterTime(next_attempt_at, attempts.at(-1)?.at), awaits_clock);
}

export function formatMessage(message: Message, look: Look, size: Detail): string {
  const { id, kind, about, created_at, caused_by, body, deliveries } = message;
  return [
    look.paint("bold", kind),
    ...formatLabels(Object.entries({ id, about: about?.title, at: created_at, "caused by": caused_by }), look),
    ...formatBlock("Body", formatBody(body, look, size), look),
    ...formatBlock("Deliveries", deliveries.length === 0 ? ["none: no subscription includes this kind"] : [], look),
    ...deliveries.flatMap((delivery) => {
      const { url, state, subscription_id, attempts } = delivery;
      const lines = [
        [look.paint(STYLES[state], state), describeNextStep(delivery)].filter(Boolean).join(", "),
        `${look.paint("dim", "subscription")} ${subscription_id}`,
        ...attempts.flatMap((attempt, at) => formatAttempt(attempt, at + 1, look, size)),
      ];
      return formatBlock(`Delivery to ${escapeText(url)}`, lines, look);
    }),
  ].join("\n");
}

/** Headers and the complete response body are only shown with --full. */
function formatAttempt(attempt: Attempt, number: number, look: Look, size: Detail): string[] {
  const { at, duration_ms, outcome, request, answer, error } = attempt;
  const status = answer ? `${formatStatus(answer.status, look.paint)} ` : "";
  const head = `${number}. ${at}  ${status}${outcome}  ${look.paint("dim", `${Math.round(duration_ms)} ms`)}`;
  const lines = error ? [escapeText(error)] : [];
  if (size.full) {
    lines.push(...formatParts({ headers: request.headers }, look, size), "");
    if (answer) lines.push(...formatParts(answer, look, size));
  } else if (answer?.body) lines.push(cut(escapeText(answer.body), MAX_RESPONSE_CHARACTERS));
  return [head, ...lines.map((line) => `   ${line}`)];
}
