// Checks the options of world methods. In TypeScript a misspelt option does not compile; in JavaScript it is rejected here.
import { rejectOption, SettingError, showValue } from "../engine/settings.ts";
import { optional } from "../platform/optional.ts";

/** The list, if it has all options of the type. */
type Complete<T, List extends readonly (keyof T)[]> = [Exclude<keyof T, List[number]>] extends [never] ? List : never;

/** Returns the options. Throws a SettingError for the first unknown option. A list that is not complete does not compile. */
export function checkOptions<T extends object, const List extends readonly (keyof T & string)[]>(
  method: string,
  given: T | undefined,
  known: List & Complete<T, List>,
): Partial<T> {
  if (given === undefined) return {};
  if (typeof given !== "object" || given === null)
    throw new SettingError(`The options of ${method} are ${showValue(given)}. Give an object, or nothing.`);
  const unknown = Object.keys(optional(given)).find((name) => !(known as readonly string[]).includes(name));
  if (unknown !== undefined) throw rejectOption(unknown, known, method);
  return given;
}
