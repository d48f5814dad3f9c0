// An input as JSON, and as the command that does the same.
import { commandOf } from "../forms/command.ts";
import type { Input } from "../forms/form-model.ts";
import { Copy } from "../parts/bits.tsx";
import { worldId } from "../router.ts";

export function Preview({ words, input }: { words: string; input: Input }) {
  const command = commandOf(words, input, worldId.value);
  const json = JSON.stringify(input, null, 2);
  return (
    <aside class="preview" aria-label="Preview">
      <div class="bar">
        <h3 class="grow">Input</h3>
        <Copy text={() => json}>Copy</Copy>
      </div>
      <pre class="code">{json}</pre>
      <div class="bar">
        <h3 class="grow">The same as a command</h3>
        <Copy text={() => command}>Copy</Copy>
      </div>
      <pre class="code wrap">{command}</pre>
    </aside>
  );
}
