// A world with more records than a page, a list or one search looks at.

type Stored = Record<string, unknown>;

const FIRST = Date.parse("2020-01-01T00:00:00.000Z");

/** Imports the records of the world as `change` leaves them. */
async function changeRecords(
  url: string,
  world: string,
  change: (collections: Record<string, Stored[]>) => void,
): Promise<void> {
  const address = `${url}/_sandbox/state?world=${world}`;
  const document = (await (await fetch(address)).json()) as {
    checksum?: string;
    collections: Record<string, Stored[]>;
  };
  // It is that of the document as it was.
  delete document.checksum;
  change(document.collections);
  const headers = { "content-type": "application/json" };
  const answer = await fetch(address, { method: "PUT", headers, body: JSON.stringify(document) });
  if (!answer.ok) throw new Error(await answer.text());
}

/** In the place of those that it has: by what the world has of all kinds, and the number of each, which begins at 0. */
const withMany = (
  [url, world, collection, count]: [string, string, string, number],
  make: (collections: Record<string, Stored[]>, at: number) => Stored,
): Promise<void> =>
  changeRecords(url, world, (collections) => {
    collections[collection] = Array.from({ length: count }, (_, at) => make(collections, at));
  });

const secondsLater = (at: number): string => new Date(FIRST + at * 1000).toISOString();
const numbered = (at: number): string => String(at).padStart(5, "0");

/** `consent-00000` is the oldest; each has the address `guest-<its number>@example.com`. */
export const withConsents = (url: string, world: string, count: number): Promise<void> =>
  withMany([url, world, "consents", count], ({ company }, at) => ({
    id: `consent-${numbered(at)}`,
    company_id: company?.[0]?.company_id,
    source: "CHECKOUT",
    created_at: secondsLater(at),
    full_name: `Guest ${numbered(at)}`,
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

const OF_A_BOOKING = ["bookings", "tickets", "orders", "entries"];

/** The one booking of a world with one event, so many times, each with an order, a ticket and a journal entry of its own. */
export const withBookings = (url: string, world: string, count: number): Promise<void> =>
  changeRecords(url, world, (collections) => {
    const own = OF_A_BOOKING.flatMap((name) => collections[name] ?? []);
    const payments = own.flatMap(({ transactions = [] }) => transactions as Stored[]);
    const ids = new RegExp([...own, ...payments].map(({ id }) => id).join("|"), "g");
    const copy = (record: Stored, at: number): Stored => {
      const text = JSON.stringify(record).replace(ids, (id) => `${id}-${numbered(at)}`);
      return {
        ...JSON.parse(text),
        ...(record.number === undefined ? {} : { number: String(Number(record.number) + at) }),
      };
    };
    for (const name of OF_A_BOOKING) {
      const [record = {}] = collections[name] ?? [];
      collections[name] = Array.from({ length: count }, (_, at) => copy(record, at));
    }
    Object.assign(collections.events?.[0] ?? {}, {
      capacity: { total: count, reserved: count },
      sold: { "var-adult": count },
    });
    const { orders, entries, ...counters } = collections.counters?.[0] ?? {};
    collections.counters = [{ ...counters, orders: Number(orders) + count, entries: Number(entries) + count }];
  });
