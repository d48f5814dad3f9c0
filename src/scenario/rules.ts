// Which rule is shown by which stories, as the rows of a Markdown table: the README carries them, a test compares.
import type { Loaded } from "./scenario.ts";

export function ruleRows(stories: readonly Loaded[]): string[] {
  const shownBy = new Map<string, string[]>();
  for (const { file, scenario } of stories) {
    for (const rule of scenario.rules ?? []) shownBy.set(rule, [...(shownBy.get(rule) ?? []), nameOf(file)]);
  }
  const rows = [...shownBy].sort(([a], [b]) => (a < b ? -1 : 1));
  return rows.map(([rule, names]) => `| ${rule} | ${names.map((name) => `\`${name}\``).join(", ")} |`);
}

function nameOf(file: string): string {
  return (file.split(/[\\/]/).at(-1) ?? file).replace(/\.(ya?ml|json)$/, "");
}
