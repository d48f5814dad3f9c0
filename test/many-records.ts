// A world with more records than a page, a list or one search looks at.

type Stored = Record<string, unknown>;

const FIRST = Date.parse("2020-01-01T00:00:00.000Z");

/** In the place of those that it has: by what the world has of all kinds, and the number of each, which begins at 0. */
async function withMany(
  [url, world, collection, count]: [string, string, string, number],
  make: (collections: Record<string, Stored[]>, at: number) => Stored,
): Promise<void> {
  const address = `${url}/_sandbox/state?world=${world}`;
  const document = (await (await fetch(address)).json()) as {
    checksum?: string;
    collections: Record<string, Stored[]>;
  };
  // It is that of the document as it was.
  delete document.checksum;
  const { collections } = document;
  collections[collection] = Array.from({ length: count }, (_, at) => make(collections, at));
  const headers = { "content-type": "application/json" };
  const answer = await fetch(address, { method: "PUT", headers, body: JSON.stringify(document) });
  if (!answer.ok) throw new Error(await answer.text());
}

const secondsLater = (at: number): string => new Date(FIRST + at * 1000).toISOString();
const numbered = (at: number): string => String(at).padStart(5, "0");

/** `consent-00000` is the oldest; each has the address `guest-<its number>@example.com`. */
export const withConsents = (url: string, world: string, count: number): Promise<void> =>
  withMany([url, world, "consents", count], ({ company }, at) => ({
    ...{ id: `consent-${numbered(at)}`, company_id: company?.[0]?.company_id, source: "CHECKOUT" },
    ...{ created_at: secondsLater(at), full_name: `Guest ${numbered(at)}` },
    email: `guest-${numbered(at)}@example.com`,
  }));

/** Like the one message that the world has; `msg_00000` is the oldest. */
export const withMessages = (url: string, world: string, count: number): Promise<void> =>
  withMany([url, world, "messages", count], ({ messages }, at) => {
    const [message] = messages ?? [];
    const id = `msg_${numbered(at)}`;
    const body = String(message?.body).replaceAll(String(message?.id), id);
    return { ...message, id, body, created_at: secondsLater(at) };
  });
