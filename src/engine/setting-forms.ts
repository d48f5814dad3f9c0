// Converts other notations of settings to the one that the sandbox reads. Unknown notations are returned unchanged, and the
// check rejects them.

type SettingForm = (value: unknown) => unknown;

/** An invalid date becomes its text, so that the rejection can show it. */
export const clock: SettingForm = (value) => {
  if (!(value instanceof Date)) return value;
  return Number.isNaN(value.getTime()) ? String(value) : value.toISOString();
};

export const url: SettingForm = (value) => (value instanceof URL ? value.href : value);

export const rateLimit: SettingForm = (value) => {
  const [, number] = /^([1-9]\d{0,8})\/min$/.exec(String(value)) ?? [];
  return number === undefined ? value : Number(number);
};

/** Converts `["id=value"]` to an object. */
export const assume: SettingForm = (value) => {
  if (!Array.isArray(value)) return value;
  const pairs = value.map((text) => /^([^=]+)=(.+)$/.exec(String(text)));
  return pairs.every((pair) => pair !== null) ? Object.fromEntries(pairs.map(([, id, given]) => [id, given])) : value;
};

export const webhookEvents: SettingForm = (value) =>
  typeof value === "string" ? value.split(",").map((kind) => kind.trim()) : value;
