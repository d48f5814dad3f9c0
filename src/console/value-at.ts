// The value that a record or an input has at a path.
export const valueAt = (value: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((at, name) => (at as Record<string | number, unknown> | undefined)?.[name], value);
