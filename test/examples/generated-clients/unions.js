// What a union takes and refuses, by document and by the name of its schema.
import { readFileSync } from "node:fs";

const ADDRESS = { address_lines: ["Nyhavn 12"], city: "København K", zip_code: "1051", country: "DK" };

export const unions = JSON.parse(readFileSync(new URL("unions.json", import.meta.url), "utf8"), (_, value) =>
  value === "ADDRESS" ? ADDRESS : value,
);
