// Checks that each order of a month has a customer's address for the invoice. A page without orders is taken for the end.
const { SANDBOX_URL, SANDBOX_TOKEN_URL, SANDBOX_CLIENT_ID, SANDBOX_CLIENT_SECRET } = process.env;

class Orders {
  headers = {};

  async send(url, init) {
    for (let left = 6, wait = 100; ; left--, wait *= 2) {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(6000) }).catch(() => undefined);
      if (left === 0 || (response && response.status !== 429 && response.status !== 503)) return response;
      await new Promise((go) => setTimeout(go, Math.max(wait, 1000 * Number(response?.headers.get("retry-after") ?? 0))));
    }
  }

  async signIn() {
    const body = new URLSearchParams({ grant_type: "client_credentials", audience: SANDBOX_URL, scope: "order.read" });
    body.append("client_id", SANDBOX_CLIENT_ID);
    body.append("client_secret", SANDBOX_CLIENT_SECRET);
    const response = await this.send(SANDBOX_TOKEN_URL, { method: "POST", body });
    this.headers.authorization = `Bearer ${(await response.json()).access_token}`;
  }

  async page(query) {
    const url = `${SANDBOX_URL}/v1/orders?${new URLSearchParams(query)}`;
    let response = await this.send(url, { headers: this.headers });
    if (response?.status === 401) {
      await this.signIn();
      response = await this.send(url, { headers: this.headers });
    }
    if (!response?.ok) throw new Error(`orders: ${response?.status}`);
    return response.json();
  }

  async *[Symbol.asyncIterator]() {
    await this.signIn();
    const sent = new Set();
    const query = { limit: "35" };
    for (let page = await this.page(query); page.items.length > 0; page = await this.page(query)) {
      yield* page.items;
      if (!page.next) return;
      if (sent.has(page.next)) throw new Error("the list does not advance");
      sent.add(page.next);
      query.cursor = page.next;
    }
  }
}

let without = 0;
for await (const { customer } of new Orders()) if (!customer?.address?.address_lines?.length) without++;
console.log(`${without} orders without an address`);
