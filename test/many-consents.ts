// A world with more records than a page, a list or one search looks at.

const FIRST = Date.parse("2020-01-01T00:00:00.000Z");

/** `consent-00000` is the oldest; each has the address `guest-<its number>@example.com`. */
export async function withConsents(url: string, world: string, count: number): Promise<void> {
  const address = `${url}/_sandbox/state?world=${world}`;
  const document = (await (await fetch(address)).json()) as {
    checksum?: string;
    collections: Record<string, object[]>;
  };
  // It is that of the document as it was.
  delete document.checksum;
  const [company] = document.collections.company as [{ company_id: string }];
  document.collections.consents = Array.from({ length: count }, (_, at) => {
    const number = String(at).padStart(5, "0");
    const of = { company_id: company.company_id, source: "CHECKOUT" };
    const created_at = new Date(FIRST + at * 1000).toISOString();
    const [full_name, email] = [`Guest ${number}`, `guest-${number}@example.com`];
    return { id: `consent-${number}`, ...of, created_at, full_name, email };
  });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(address, { method: "PUT", headers, body: JSON.stringify(document) });
  if (!answer.ok) throw new Error(await answer.text());
}
