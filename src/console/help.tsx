// The help dialog for keys.
import { signal } from "@preact/signals";
import { listKeys } from "./keys.ts";
import { Dialog } from "./parts/dialog.tsx";

export const isHelpOpen = signal(false);

/** The dialog that lists the keys of the components on the page. */
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
