// A screen at the counter. It shows the last five bookings, details of three, the last five orders, and the events of the day.
const env = process.env;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let token;

async function load(url, init, attempt = 0) {
  try {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(3000) });
    if (![429, 502, 503].includes(answer.status) || attempt === 5) return answer;
    await pause(Math.max(1000 * Number(answer.headers.get("retry-after")) + 25, 100 * 2 ** attempt));
  } catch (lost) {
    if (attempt === 4) throw lost;
    await pause(100 * 2 ** attempt);
  }
  return load(url, init, attempt + 1);
}

async function show(path) {
  for (let turn = 0; turn < 2; turn++) {
    if (!token) {
      const answer = await load(env.SANDBOX_TOKEN_URL, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: `grant_type=client_credentials&audience=${encodeURIComponent(env.SANDBOX_URL)}&client_id=${encodeURIComponent(env.SANDBOX_CLIENT_ID)}&client_secret=${encodeURIComponent(env.SANDBOX_CLIENT_SECRET)}&scope=booking.read%20order.read%20event.read`,
      });
      token = (await answer.json()).access_token;
    }
    const answer = await load(env.SANDBOX_URL + path, {
      headers: { authorization: `Bearer ${token}`, "accept-language": "da-DK" },
    });
    if (answer.ok) return answer.json();
    if (answer.status === 401) token = undefined;
    else throw new Error(`${path}: ${answer.status}`);
  }
  throw new Error("refused twice");
}

for (let turn = 0; turn < 3; turn++) {
  const { items: bookings } = await show("/v1/bookings?limit=5&sort=-created_at");
  for (const { id } of bookings.slice(0, 3)) {
    const { status, customer } = await show(`/v1/bookings/${id}`);
    console.log(`${status} ${customer?.name ?? "?"}`);
  }
  const { items: orders } = await show("/v1/orders?limit=5");
  console.log(orders.map(({ number, payment_status }) => `${number} ${payment_status}`).join(", "));
  await show("/v1/events?from=2030-06-02T00:00:00&to=2030-06-03T00:00:00&limit=100");
  await pause(90 + 170 * turn);
}
