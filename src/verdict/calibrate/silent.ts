// Why an assumption may stay silent: what traffic would have to have in it; the others can't be seen in traffic at all.
import words from "../../contract/generated/traffic-words.json" with { type: "json" };

/** One sentence for a question that nothing in the traffic answers. */
export function whySilent(id: string): string {
  const wanted = (words.record as Readonly<Record<string, string>>)[id];
  if (wanted) return `Nothing shows it. Record ${wanted}.`;
  // The register says of some questions why no traffic can tell.
  const why = Object.entries(words.untold).find(([flip]) => flip.startsWith(`${id}=`))?.[1];
  return why ? `Traffic does not tell: ${why}.` : "It has no other answer in the register, and nothing is looked for.";
}
