// The zone that a request names: spelled as IANA has it, or refused with the member that names it.
import { zoneNamed } from "../../domain/kernel/zone.ts";
import { HttpError } from "../errors.ts";

export function zoneIn(path: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const zone = zoneNamed(text);
  if (zone !== undefined) return zone;
  throw new HttpError(400, `${path} is ${text}, which is no IANA time zone, such as Europe/Copenhagen or UTC.`);
}
