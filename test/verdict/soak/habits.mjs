// The styles of the mirror, all careful; and ten ways to be careless in one thing, each with the style that it is a habit of. They take the
// careful habits, and give those that differ.
const order = (n) => ({
  event_id: `evt-canal-${String(10 + (n % 8)).padStart(2, "0")}`,
  locale: "da",
  customer: {
    customer_type: "PRIVATE",
    name: "Anna Holm",
    email: "anna@example.com",
    phone: "+4520123456",
    address: { address_lines: ["Nyhavn 12"], city: "København", zip_code: "1051", country: "DK" },
  },
  items: [{ type_id: "var-adult", item_type: "VARIANT", quantity: 1 }],
  metadata: { order: `order-${n}` },
});

/** One booking each night; a lost answer is looked for by its reference before anything is repeated. */
async function books(shop) {
  const { state, habits } = shop;
  state.orders ??= 0;
  const n = ++state.orders;
  habits.file.write(state);
  const body = JSON.stringify(order(n));
  const post = () => habits.call(shop, "/v1/bookings", { method: "POST", body });
  const answer = await post().catch(() => habits.lost(shop, `order-${n}`, post));
  if (!answer?.ok) return;
  const { id } = await answer.json();
  state.bookings[id] = { id };
  habits.file.write(state);
}

async function found(shop, reference) {
  for await (const items of shop.habits.pages(shop, "/v1/bookings?sort=-created_at")) {
    const made = items.find(({ metadata }) => metadata?.order === reference);
    if (made) return { ok: true, json: async () => made };
  }
  return undefined;
}

/** Only what it has booked; what has become of each is read, also under the id that a move gave it. */
async function readOwn(shop) {
  for await (const items of shop.habits.pages(shop, "/v1/bookings"))
    for (const booking of items) if (booking.metadata?.order?.startsWith("order-")) shop.habits.keep(shop, booking);
  shop.habits.file.write(shop.state);
}

/** What has changed since the newest change that is known, and a little before it. */
async function readChanges(shop) {
  const { state, habits } = shop;
  let newest = state.newest ?? "";
  const back = new Date(Date.parse(newest || "2000-01-01T00:00:00Z") - 3_600_000).toISOString();
  read: for await (const items of habits.pages(shop, "/v1/bookings?sort=-updated_at"))
    for (const booking of items) {
      if (booking.updated_at < back) break read;
      habits.keep(shop, booking);
      if (booking.updated_at > newest) newest = booking.updated_at;
    }
  state.newest = newest;
  habits.file.write(state);
}

const reseller = (careful) => ({
  nightly: readOwn,
  every: books,
  lost: (shop, reference, post) => found(shop, reference).then((made) => made ?? post()),
  async handle(shop, message) {
    const { booking_id } = message.payload;
    if (shop.state.bookings[booking_id]) await careful.handle(shop, message);
  },
});

/** What came is written down before it is answered, and worked off, again and again until it is done. */
const queue = (careful) => ({
  take(shop, message) {
    shop.state.queue = [...(shop.state.queue ?? []), message];
    shop.habits.file.write(shop.state);
  },
  async every(shop) {
    while (shop.state.queue?.length > 0) {
      await shop.habits.handle(shop, shop.state.queue[0]);
      shop.state.queue.shift();
    }
    careful.file.write(shop.state);
  },
});

export const styles = {
  /** A receiver, and at night all is read. */
  hooks: () => ({}),
  /** Nothing but messages after the first look of each start; for a service that loses none. */
  messages: (careful) => ({
    ...queue(careful),
    async nightly(shop) {
      if (shop.hasRead) return;
      await careful.readAll(shop);
      shop.hasRead = true;
    },
  }),
  pull: () => ({ receives: false }),
  changes: () => ({ receives: false, nightly: readChanges }),
  money: (careful) => ({
    receives: false,
    async nightly(shop) {
      await careful.readAll(shop);
      await careful.money(shop);
    },
  }),
  queue,
  reseller,
};

/** By what it is careless in: the style, and the habit. */
export const careless = {
  "no dedupe": [
    "hooks",
    (careful) => ({ isNew: () => true, handle: (shop, message) => insert(careful, shop, message) }),
  ],
  "no retry": [
    "messages",
    (careful) => ({
      send: (shop, url, how) => careful.send(shop, url, how, false, 7),
      handle: (shop, message) => careful.handle(shop, message).catch(() => {}),
    }),
  ],
  "cursor kept": ["pull", () => ({ nightly: fromRetainedCursor })],
  "clock trusted": [
    "pull",
    (careful) => ({ pages: (shop, path) => careful.pages(shop, `${path}?to=${new Date().toISOString()}`) }),
  ],
  "order trusted": ["messages", (careful) => ({ handle: (shop, message) => trustOrder(careful, shop, message) })],
  "secret not rotated": ["messages", () => ({ secrets: () => [process.env.SANDBOX_WEBHOOK_SECRET] })],
  "page cut": [
    "pull",
    (careful) => ({
      async *pages(shop, path) {
        for await (const items of careful.pages(shop, path)) return yield items;
      },
    }),
  ],
  "lost answer repeated": ["reseller", () => ({ lost: (_shop, _reference, post) => post(), nightly: readKnown })],
  "float amounts": [
    "money",
    () => ({
      keepMoney({ state }, { origin, totals }) {
        const booking = state.bookings[origin.id];
        if (origin.type === "BOOKING" && booking) booking.total = (totals.amount.value / 100) * 1.1 * (100 / 1.1);
      },
    }),
  ],
  "restart forgets": [
    "messages",
    (careful) => ({
      file: { ...careful.file, read: () => ({ isAgain: "bookings" in careful.file.read() }) },
      nightly: (shop, turn) => (shop.state.isAgain ? careful.file.write(shop.state) : careful.nightly(shop, turn)),
    }),
  ],
};

/** A row for each message that says that there is a new booking. */
async function insert(careful, shop, message) {
  const { type, payload } = message;
  const before = shop.state.bookings[payload.booking_id];
  await careful.handle(shop, message);
  if (type !== "v1.booking.created" || !before) return;
  shop.state.bookings[`${payload.booking_id} again`] = before;
  shop.habits.file.write(shop.state);
}

/** The last message says what is so. */
async function trustOrder(careful, shop, message) {
  const { type, payload } = message;
  const { booking_id: id, event_id } = payload;
  if (type === "v1.booking.updated") return careful.handle(shop, message);
  if (!type.startsWith("v1.booking.")) return;
  shop.habits.keep(shop, { id, event_id, status: type.endsWith("created") ? "ACTIVE" : "CANCELLED" });
  shop.habits.file.write(shop.state);
}

/** What comes later is behind the cursor; what has changed is before it. */
async function fromRetainedCursor(shop) {
  const { state, habits } = shop;
  for (;;) {
    const from = state.cursor ? `&cursor=${encodeURIComponent(state.cursor)}` : "";
    const page = await habits.get(shop, `/v1/bookings?sort=created_at&limit=50${from}`);
    for (const booking of page.items) habits.keep(shop, booking);
    if (!page.next) return habits.file.write(state);
    state.cursor = page.next;
  }
}

/** The bookings whose ids it was told. */
async function readKnown(shop) {
  for (const id of Object.keys(shop.state.bookings))
    shop.habits.keep(shop, await shop.habits.get(shop, `/v1/bookings/${id}`));
  shop.habits.file.write(shop.state);
}
