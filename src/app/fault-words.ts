// What a fault does, in a few words: its name in the log and in the console where it was given none.
import type { components } from "../generated/control.ts";

type FaultInput = components["schemas"]["FaultInput"];

export function nameOf(fault: FaultInput): string {
  const { name, delivery, operation = "*" } = fault;
  if (name !== undefined) return name;
  if (delivery) return `${delivery.kind ?? "deliveries"}: ${delivery.do.replaceAll("_", " ")}`;
  return `${operation === "*" ? "any operation" : operation}: ${wayOf(fault)}`.slice(0, 100);
}

function wayOf({ token, answer, page, stale, move, ...failure }: FaultInput): string {
  if (token) return tokenWords(token);
  if (answer) return words(answer, { unknown_value: "unknown value", unknown_members: "unknown members" });
  if (page) return words(page, { short: "short page", change: "the list changes between pages" });
  if (stale) return "stale answer";
  return move ? "moved by the host" : failureWords(failure);
}

function tokenWords({ revoke, expires_in, form }: NonNullable<FaultInput["token"]>): string {
  const issued = [form && "long token", expires_in && `token for ${expires_in} s`];
  return revoke ? "token revoked" : issued.filter(Boolean).join(", ");
}

function words(of: object, known: Readonly<Record<string, string>>): string {
  return Object.entries(of)
    .map(([name, value]) => `${known[name] ?? name.replaceAll("_", " ")}${value === true ? "" : ` ${value}`}`)
    .join(", ");
}

function failureWords({ status, code, delay_ms, connection, when }: FaultInput): string {
  const late = delay_ms === undefined ? undefined : `${delay_ms} ms late`;
  const broken = connection && `connection ${connection}`;
  const ways = [status, code, late, broken].filter((each) => each !== undefined).join(" ");
  return when === "after" ? `${ways} after it was carried out` : ways;
}
