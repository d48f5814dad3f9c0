// Reads texts with a client that sends no Accept-Language, and shows an empty page for the 400.
import { get } from "node:http";
import { careful, run } from "../shop.mjs";

const bare = (url, headers) =>
  new Promise((resolve, reject) =>
    get(url, { headers, agent: false }, async (answer) => {
      const pieces = await answer.toArray();
      resolve(answer.statusCode === 200 ? JSON.parse(Buffer.concat(pieces).toString("utf8")).items : []);
    }).on("error", reject),
  );

await run({
  ...careful,
  async extra(shop) {
    const headers = { authorization: `Bearer ${await shop.habits.token(shop)}` };
    await bare(`${process.env.SANDBOX_URL}/v1/experiences?limit=1`, headers).catch(() => []);
  },
});
