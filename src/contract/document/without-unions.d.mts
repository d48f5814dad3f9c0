/** A copy of the document in which each union that a tag tells apart is one object. */
export function withoutUnions<T extends object>(document: T): T;
