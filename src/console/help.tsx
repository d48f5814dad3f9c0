// The keys that do something now.
import { signal } from "@preact/signals";
import { listKeys } from "./keys.ts";
import { Dialog } from "./parts/dialog.tsx";

export const isHelpOpen = signal(false);

/** Those of the parts that are on the page, so it differs by screen. */
export function Help() {
  return (
    <Dialog title="Keys" onClose={() => (isHelpOpen.value = false)}>
      <dl class="keys">
        {listKeys().map(([key, help]) => (
          <div key={key}>
            <dt>
              {key.split(" ").map((part) => (
                <kbd key={part}>{part}</kbd>
              ))}
            </dt>
            <dd>{help}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
