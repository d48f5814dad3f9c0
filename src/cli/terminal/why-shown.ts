// An explanation for a person: what was refused and by which check, what that rests on and what would work; or what caused what.
import type { Schemas } from "../../client/control.ts";
import { amountText } from "../../platform/amount-text.ts";
import { plain, statusText, timeOf } from "./line.ts";
import { count, cut, widthOf, wrap } from "./terminal.ts";
import { flow, roomOf, type Screen, section } from "./why-layout.ts";
import { basisSection, refusalLines } from "./why-refusal.ts";

type Why = Schemas["Why"];
type Message = Schemas["WhyMessage"];

const LONGEST_VALUE = 60;
const MOST_MEMBERS = 12;
const MOST_VERSIONS = 40;

/** `basis`: what a rule rests on, at the end. */
export function whyShown(why: Why, screen: Screen, basis = false): string {
  const { paint } = screen;
  return [
    ...headOf(why, screen),
    ...(why.refusal ? refusalLines(why, screen) : []),
    ...section(
      "caused by",
      (why.causes ?? []).map(({ kind, id, title }) => `${kind} ${plain(id)}  ${plain(title)}`),
      screen,
    ),
    ...section(
      "facts",
      flow(
        why.facts.map(({ fact, id }) => `${paint("green", fact)} ${plain(id)}`),
        screen,
      ),
      screen,
    ),
    ...section(
      "changes",
      why.changes.flatMap((each) => changeLines(each, screen)),
      screen,
    ),
    ...section(
      "ledger",
      why.entries.flatMap((each) => entryLines(each, screen)),
      screen,
    ),
    ...section(
      "webhooks",
      why.messages.flatMap((each) => messageLines(each, screen)),
      screen,
    ),
    ...section("history, newest first", versionLines(why, screen), screen),
    ...section(
      "then",
      flow(
        why.then.map((each) => nextOf(each, screen)),
        screen,
        " → ",
      ),
      screen,
    ),
    ...(why.notes ?? []).flatMap((note) =>
      wrap(plain(note), roomOf(screen) - 2).map((line) => paint("dim", ` ${line}`)),
    ),
    ...(basis ? basisSection(why, screen) : []),
  ].join("\n");
}

/** `WHY 409  createBooking req-12   12:04:01 (world 2030-06-01 09:02:00, held)`. */
function headOf({ title, id, at, wall_at, clock, refusal, kind }: Why, screen: Screen): string[] {
  const { paint } = screen;
  const word = refusal ? `WHY ${statusText(refusal.status, paint)}` : "WHY";
  const when = `${wall_at ? `${timeOf(wall_at)} ` : ""}(world ${at.slice(0, 19).replace("T", " ")}${clock ? `, ${clock}` : ""})`;
  const name = kind === "request" || kind === "act" ? plain(title) : `${kind} ${plain(title)}`;
  const named = title.includes(id) ? name : `${name} ${paint("dim", plain(id))}`;
  const line = `${paint("bold", word)}  ${named}`;
  if (widthOf(`WHY 409  ${name} ${id}  ${when}`) <= roomOf(screen)) return [`${line}  ${paint("dim", when)}`];
  return [line, `  ${paint("dim", when)}`];
}

function changeLines({ collection, id, change, members }: Schemas["WhyRecord"], screen: Screen): string[] {
  const head = `${collection} ${plain(id)} ${screen.paint("dim", change)}`;
  if (change !== "updated") return [head];
  return [head, ...memberLines(members, screen)];
}

function memberLines(members: readonly Schemas["WhyMember"][], screen: Screen): string[] {
  const shown = members
    .slice(0, MOST_MEMBERS)
    .map(({ path, before, after }) => `  ${plain(path)}: ${valueShown(before)} → ${valueShown(after)}`);
  const left = members.length - shown.length;
  return [
    ...shown.map((line) => cut(line, roomOf(screen) - 3)),
    ...(left > 0 ? [screen.paint("dim", `  and ${count(left, "more member")}`)] : []),
  ];
}

const valueShown = (value: unknown): string =>
  value === undefined ? "none" : cut(plain(JSON.stringify(value)), LONGEST_VALUE);

function entryLines({ number, kind, currency, exponent, postings }: Schemas["WhyEntry"], screen: Screen): string[] {
  const rows = postings.map(
    ({ type, direction, amount }) =>
      `${direction === "DEBIT" ? "debit" : "credit"} ${type} ${amountText({ currency, value: amount, exponent })}`,
  );
  const lines = flow(rows, screen, " · ");
  return [`${number} ${screen.paint("bold", kind)}`, ...lines.map((line) => `  ${line}`)];
}

function messageLines({ id, kind, deliveries }: Message, screen: Screen): string[] {
  const head = `${kind} ${screen.paint("dim", id)}`;
  if (deliveries.length === 0) return [`${head}  nobody subscribed`];
  return [head, ...deliveries.flatMap((delivery) => deliveryLines(delivery, screen))];
}

function deliveryLines({ url, state, attempts }: Schemas["WhyDelivery"], screen: Screen): string[] {
  const { paint } = screen;
  const answers = attempts.map(({ status, error }) =>
    status === null ? plain(error ?? "no response") : statusText(status, paint),
  );
  const said = answers.length === 0 ? "not attempted yet" : answers.join(", ");
  const style = state === "DELIVERED" ? "green" : state === "PENDING" ? "yellow" : "red";
  return [
    `  ${paint(style, state)} ${cut(plain(url), roomOf(screen) - 20)}`,
    ...wrap(said, roomOf(screen) - 8).map((line) => `    ${line}`),
  ];
}

function versionLines({ history = [] }: Why, screen: Screen): string[] {
  const shown = history
    .slice(0, MOST_VERSIONS)
    .flatMap(({ at, wall_at, cause, change, members }) => [
      `${wall_at === null ? "" : `${timeOf(wall_at)} `}(world ${at.slice(0, 19).replace("T", " ")}) ${screen.paint("bold", change)} by ${plain(cause.title)} ${screen.paint("dim", plain(cause.id))}`,
      ...(change === "updated" ? memberLines(members, screen) : []),
    ]);
  const left = history.length - MOST_VERSIONS;
  return [...shown, ...(left > 0 ? [screen.paint("dim", `${count(left, "earlier change")} are in --json`)] : [])];
}

function nextOf({ wall_at, title, status, kind }: Schemas["WhyNext"], { paint }: Screen): string {
  return `${timeOf(wall_at)} ${plain(title)}${kind === "request" ? ` ${statusText(status, paint)}` : ""}`;
}
