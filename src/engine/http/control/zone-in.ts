// The zone that a request names: spelled as IANA has it, or refused with the member that names it.
import { reject } from "../../domain/kernel/domain-error.ts";
import { zoneNamed } from "../../domain/kernel/zone.ts";

export function zoneIn(path: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const zone = zoneNamed(text);
  if (zone !== undefined) return zone;
  return reject("INVALID_INPUT", { path, what: `${text} is not an IANA time zone, such as Europe/Copenhagen or UTC.` });
}
