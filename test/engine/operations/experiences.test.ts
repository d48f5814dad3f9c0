// Experiences: in which language they speak, and what they show of themselves.
import { describe, expect, it } from "vitest";
import { type Answered, shareSandbox, shareWorld } from "../../sandbox.ts";
import { rawRequest } from "../http/http-kit.ts";
import { allPages, done, idsOf, kroner } from "./kit.ts";

const sandbox = shareSandbox();
const world = shareWorld(sandbox);

const path = (experienceId: string) => ({ path: { experienceId } });
const speaking = (language: string) => ({ headers: { "accept-language": language } });
const NAMES: Record<string, string> = { "Canal tour": "en", Kanalrundfart: "da", Kanalrundfahrt: "de" };
const LANGUAGE_READS = ["listExperiences", "getExperience", "listInformationRequests", "listTicketVariants"];

describe("the storefront in English, Danish and German responds", () => {
  it.each<[string, string]>([
    ["en", "en"],
    ["da", "da"],
    ["de", "de"],
    ["DA", "da"],
    ["da-DK", "da"],
    ["de-AT", "de"],
    ["en-GB, da;q=0.9", "en"],
    ["da;q=0.8, de;q=0.9", "de"],
    ["da;q=0.8,de;q=0.8", "da"],
    ["fr, de;q=0.1", "de"],
    ["fr;q=1, sv;q=0.9, *;q=0.1", "en"],
    ["*", "en"],
    ["*, en;q=0", "da"],
    ["en;q=0, da;q=0.001", "da"],
    ["en;q=0.5, *", "da"],
    ["en, da, *", "en"],
    ["da ; q=0.5 , de ; q=0.7", "de"],
    ["zh-Hant-TW, de-CH-1996;q=0.4", "de"],
    ["da,", "da"],
    [",,da", "da"],
    ["da;q=0.5;level=1", "da"],
    ["da;q=1.000, de", "da"],
    ["en-GB;q=0, en", "en"],
  ])("with %s in %s", async (header, language) => {
    const { status, body, text, headers } = await world.call("getExperience", {
      ...path("exp-canal"),
      ...speaking(header),
    });
    expect(status, text).toBe(200);
    expect(NAMES[body.name]).toBe(language);
    expect([headers["content-language"], headers.vary]).toEqual([language, "Accept-Language"]);
  });

  it.each([...LANGUAGE_READS, "listContentBlocks"])(
    "with the language and Vary for %s, also in rejections",
    async (operation) => {
      const german = await world.call(operation, { ...path("exp-canal"), ...speaking("de") });
      expect([german.headers["content-language"], german.headers.vary]).toEqual(["de", "Accept-Language"]);
      for (const [header, status] of [
        ["fr", 406],
        ["en, da;q=abc", 400],
        ["en, da;q=1.5", 400],
      ] as const) {
        const refused = await world.call(operation, { ...path("exp-canal"), ...speaking(header) });
        expect([refused.status, refused.headers["content-language"], refused.headers.vary]).toEqual([
          status,
          undefined,
          "Accept-Language",
        ]);
        if (status === 400) expect(refused.body.message).toContain("header.Accept-Language: ");
      }
    },
  );

  it.each(["fr", "fr, sv;q=0.5", "en;q=0", "*;q=0", "en;q=0, da;q=0, de;q=0, *", "da;q=0", "e", "d"])(
    "to %s with 406",
    async (header) => {
      for (const operation of [...LANGUAGE_READS, "listContentBlocks"]) {
        const { status, body } = await world.call(operation, { ...path("exp-canal"), ...speaking(header) });
        expect([operation, status, body.code]).toEqual([operation, 406, "LANGUAGE_NOT_AVAILABLE"]);
        expect(body.message).toContain("en, da, de");
      }
    },
  );

  it.each(LANGUAGE_READS)("to a missing language with 400, if %s requires one", async (operation) => {
    const token = await world.token();
    const url = {
      listExperiences: "",
      getExperience: "/exp-canal",
      listInformationRequests: "/exp-canal/information-requests",
      listTicketVariants: "/exp-canal/ticket-variants",
    }[operation];
    const answer = await fetch(`${sandbox.url}/v1/experiences${url}`, {
      headers: { authorization: `Bearer ${token}`, "accept-language": "" },
    });
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as Answered["body"]).code).toBe("BAD_REQUEST");
  });

  it("with an untranslated field in its first language", async () => {
    const { body } = await world.call("getExperience", { ...path("exp-canal"), ...speaking("de") });
    expect(body.description).toMatch(/^Ninety minutes/);
    const { body: variants } = await world.call("listTicketVariants", { ...path("exp-canal"), ...speaking("de") });
    const family = variants.items.find(({ id }: { id: string }) => id === "var-family");
    expect([family.name, family.description]).toEqual(["Familie", "Two adults and two children"]);
  });
});

describe("experiences", () => {
  it("are listed when they are ACTIVE or ARCHIVED, in pages", async () => {
    const { items } = await allPages(world, "listExperiences");
    expect(items.map(({ id, state }) => `${id} ${state}`)).toEqual(
      expect.arrayContaining(["exp-canal ACTIVE", "exp-winter ARCHIVED"]),
    );
    expect(idsOf(items)).not.toContain("exp-ice-swim");
    for (const limit of [1, 3])
      expect((await allPages(world, "listExperiences", { query: { limit } })).items).toEqual(items);
    for (const limit of [0, 101]) expect((await world.call("listExperiences", { query: { limit } })).status).toBe(400);
  });

  it("show their details", async () => {
    const { body } = await world.call("getExperience", { ...path("exp-canal"), ...speaking("da") });
    expect(body).toEqual({
      id: "exp-canal",
      state: "ACTIVE",
      name: "Kanalrundfart",
      description: expect.stringContaining("**Nyhavn**"),
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      tag_ids: ["tag-boat", "tag-family"],
      media: [
        { type: "IMAGE", url: `${sandbox.url}/files/${world.id}/media/canal.png`, mime_type: "image/png" },
        { type: "VIDEO", url: "https://media.harbour-tours.example/canal.mp4", mime_type: "video/mp4" },
      ],
      metadata: { brochure: "2030-summer" },
    });
    expect(body).not.toHaveProperty("type");
  });

  it.each(["exp-ice-swim", "exp-nothing", "evt-evening", "__proto__"])("named %s are not found", async (id) => {
    for (const operation of [...LANGUAGE_READS.slice(1), "listContentBlocks", "listAvailabilities"]) {
      const { status, body } = await world.call(operation, path(id));
      expect([operation, status, body.code]).toEqual([operation, 404, "NOT_FOUND"]);
    }
  });
});

describe("the questions of an experience", () => {
  it("have their text twice, as label and as question", async () => {
    const { body } = await world.call("listInformationRequests", { ...path("exp-canal"), ...speaking("da") });
    expect(body.items).toEqual([
      {
        id: "irq-hotel",
        type: "TEXT",
        required: false,
        scope: "BOOKING",
        label: "Hvilket hotel bor I på?",
        question: "Hvilket hotel bor I på?",
      },
      {
        id: "irq-allergies",
        type: "TEXT",
        required: false,
        scope: "TICKET",
        label: "Allergier?",
        question: "Allergier?",
      },
    ]);
  });

  it.each(["listInformationRequests", "listTicketVariants"])("are listed page by page from %s", async (operation) => {
    const whole = (await world.call(operation, path("exp-canal"))).body.items;
    const { items, pages } = await allPages(world, operation, { ...path("exp-canal"), query: { limit: 1 } });
    expect([items, pages]).toEqual([whole, whole.length]);
    const { next } = (await world.call(operation, { ...path("exp-canal"), query: { limit: 1 } })).body;
    expect((await world.call(operation, { ...path("exp-dinner"), query: { cursor: next } })).status).toBe(400);
    for (const limit of [0, 101])
      expect((await world.call(operation, { ...path("exp-canal"), query: { limit } })).status).toBe(400);
  });

  it("are empty if there are none", async () => {
    expect((await world.call("listInformationRequests", path("exp-tea"))).body).toEqual({ items: [] });
  });
});

describe("the ticket variants of an experience", () => {
  const priced = (value: number, vat: number, currency: string, exponent: number) => ({
    price: { value, currency, exponent },
    vat_amount: { value: vat, currency, exponent },
  });
  it.each<[string, string, object]>([
    ["exp-canal", "var-adult", priced(25000, 5000, "DKK", 2)],
    ["exp-tea", "var-tea", priced(12100, 1100, "JPY", 0)],
    ["exp-charter", "var-charter-guest", priced(42755, 2036, "KWD", 3)],
    ["exp-hudson", "var-rower", priced(6900, 0, "USD", 2)],
  ])("of %s: %s has its price, and the VAT inside it", async (experience, variant, money) => {
    const { body } = await world.call("listTicketVariants", path(experience));
    expect(body.items.find(({ id }: { id: string }) => id === variant)).toMatchObject(money);
  });

  it("list their add-ons, and omit seats, limits and resources", async () => {
    const { body } = await world.call("listTicketVariants", path("exp-kayak"));
    const [single] = body.items;
    expect(single).toEqual({
      id: "var-kayak",
      name: "Single kayak",
      price: kroner(39500),
      vat_amount: kroner(7900),
      add_on_variants: [
        { id: "add-wetsuit", name: "Wetsuit", price: kroner(7500), vat_amount: kroner(1500) },
        { id: "add-dry-bag", name: "Dry bag", price: kroner(0), vat_amount: kroner(0) },
      ],
    });
  });
});

describe("the content of an experience", () => {
  const blocks = async (id: string, language?: string): Promise<Answered["body"]> =>
    (await world.call("listContentBlocks", { ...path(id), ...(language ? speaking(language) : {}) })).body.items;

  it("is in the order of the storefront, each block by its type", async () => {
    const items = await blocks("exp-canal", "de");
    expect(items.map(({ type, handle }: Answered["body"]) => `${type} ${handle}`)).toEqual([
      "TEXT WHATS_INCLUDED",
      "STEP_LIST ITINERARY",
      "TEXT NICE_TO_KNOW",
    ]);
    expect(items[0].text).toContain("heiße Schokolade");
    expect(items[1]).toEqual({
      type: "STEP_LIST",
      handle: "ITINERARY",
      title: "Die Route",
      steps: [
        {
          title: "Nyhavn",
          description: "Wir legen bei Nummer 43 ab.",
          image: { url: `${sandbox.url}/files/${world.id}/media/nyhavn.png`, mime_type: "image/png" },
        },
        { title: "Die Oper", description: "Across the harbour, and under its roof." },
        { title: "Christianshavn", description: "Niedrige Brücken: Köpfe runter." },
      ],
    });
    expect(items[2].text).toMatch(/^Prams/);
  });

  it.each([{}, { "accept-language": "" }, { "accept-language": " , " }])(
    "needs no language, and then uses the first one: %j",
    async (headers) => {
      const authorization = `Bearer ${await world.token(["experience.read"])}`;
      const line = "GET /v1/experiences/exp-canal/content-blocks";
      const answer = await rawRequest(sandbox.url, line, { authorization, ...headers });
      expect([answer.status, answer.body.items?.[0].text.slice(0, 7)]).toEqual([200, "A guide"]);
    },
  );

  it("omits a text of spaces, and a title of spaces", async () => {
    const other = await sandbox.world();
    await done(other, "updateExperience", {
      experience_id: "exp-tea",
      content_blocks: [
        { type: "TEXT", handle: "NICE_TO_KNOW", text: " \n\t" },
        { type: "STEP_LIST", handle: "ITINERARY", title: " ", steps: [{ title: "Tea" }] },
      ],
    });
    const { body } = await other.call("listContentBlocks", path("exp-tea"));
    expect(body.items).toEqual([{ type: "STEP_LIST", handle: "ITINERARY", steps: [{ title: "Tea" }] }]);
  });

  it("omits the missing title of a list, and everything if there is nothing", async () => {
    expect((await blocks("exp-sailing"))[0]).not.toHaveProperty("title");
    expect(await blocks("exp-tea")).toEqual([]);
  });

  it("omits a block that has become empty", async () => {
    const own = await sandbox.world();
    const content_blocks = [
      { type: "TEXT", handle: "NICE_TO_KNOW", text: "Bring a hat." },
      { type: "STEP_LIST", handle: "ITINERARY", steps: [] },
    ];
    await done(own, "updateExperience", { experience_id: "exp-tea", content_blocks });
    expect((await own.call("listContentBlocks", path("exp-tea"))).body).toEqual({
      items: [{ type: "TEXT", handle: "NICE_TO_KNOW", text: "Bring a hat." }],
    });
  });
});
