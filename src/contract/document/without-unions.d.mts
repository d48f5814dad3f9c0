/** A copy of the document in which each union that a tag tells apart is one object. */
export function withoutUnions<T extends object>(document: T): T;

/** Joins a union of different types (`oneOf`) into one schema of several types. */
export function joinTypes(schema: object): object;
