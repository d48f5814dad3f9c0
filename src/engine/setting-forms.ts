// The other forms in which a setting can be written: each as the one that the sandbox reads. What has another form than these is left
// as it is, for the check to reject.

type SettingForm = (value: unknown) => unknown;

/** A date that is none keeps its words, to be rejected with them. */
export const clock: SettingForm = (value) => {
  if (!(value instanceof Date)) return value;
  return Number.isNaN(value.getTime()) ? String(value) : value.toISOString();
};

export const url: SettingForm = (value) => (value instanceof URL ? value.href : value);

export const rateLimit: SettingForm = (value) => {
  const [, number] = /^([1-9]\d{0,8})\/min$/.exec(String(value)) ?? [];
  return number === undefined ? value : Number(number);
};

/** `["id=value"]` */
export const assume: SettingForm = (value) => {
  if (!Array.isArray(value)) return value;
  const pairs = value.map((text) => /^([^=]+)=(.+)$/.exec(String(text)));
  return pairs.every((pair) => pair !== null) ? Object.fromEntries(pairs.map(([, id, given]) => [id, given])) : value;
};

export const webhookEvents: SettingForm = (value) =>
  typeof value === "string" ? value.split(",").map((kind) => kind.trim()) : value;
