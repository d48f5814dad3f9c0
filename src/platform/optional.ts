// Drops undefined fields: a record never holds `undefined`, so that it reads the same from disk.

export function optional<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const present: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const name of Object.keys(values) as (keyof T)[]) {
    const value = values[name];
    if (value !== undefined) present[name] = value as Exclude<T[keyof T], undefined>;
  }
  return present;
}
