// Creates notes about an accepted request: ignored names, and fields that the service may require in addition.
import { type ExchangeDetails, type LogEntry, readDetails, readQuery, readSent } from "../log/view.ts";
import { findRoute } from "./changed-request.ts";
import { bindOverrides } from "./in-force.ts";
import { findUnknownNames } from "./undocumented.ts";

const NO_PHONE =
  "body.customer.phone is missing. The service may require it (assumption booking-customer-required); send one to be safe.";

export function noteRequest(entry: LogEntry): string[] {
  const route = findRoute(entry.operation);
  if (!route) return [];
  const details = readDetails<ExchangeDetails>(entry);
  const { operation } = bindOverrides(route, details.overrides ?? []);
  const sent = { query: readQuery(details.target), body: readSent(details) };
  const { query, body } = findUnknownNames(sent, operation);
  // A name that a violation rejects was read, and the violation says so.
  const rejected = (details.violations ?? []) as { location?: string[] }[];
  const isIgnored = (path: string[]) => !rejected.some(({ location }) => location?.join(".") === path.join("."));
  return [
    ...query.filter(isIgnored).map(([, name]) => `The query parameter ${name} is not documented and was ignored.`),
    ...body.filter(isIgnored).map((path) => `${path.join(".")} is not documented and was ignored.`),
    ...(hasNoPhone(entry, sent.body) ? [NO_PHONE] : []),
  ];
}

function hasNoPhone({ operation, status }: LogEntry, body: unknown): boolean {
  const { customer } = (body ?? {}) as { customer?: { phone?: string } };
  return operation === "createBooking" && (status ?? 500) < 300 && !customer?.phone;
}
