// Entries of the log as a scenario that plays: the sandbox makes the file, or says why there is none.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { count } from "../../platform/count.ts";
import { formatCommand } from "../../platform/format-command.ts";
import { unwrap } from "../api.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Button, CopyButton, Field, Json, Loading } from "../parts/primitives.tsx";
import { useDebounced } from "../parts/use-debounced.ts";
import { useQuery } from "../query.ts";

/** A slow disk has the file by then. */
const URL_LIFETIME_MS = 10_000;

interface SaveScenarioProps {
  entries: readonly string[];
  children: ComponentChildren;
}

export function SaveScenario({ entries, children }: SaveScenarioProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{children}</Button>
      {isOpen && (
        <Dialog title="Save as scenario" onClose={() => setOpen(false)}>
          <Scenario entries={entries} />
        </Dialog>
      )}
    </>
  );
}

function Scenario({ entries }: Pick<SaveScenarioProps, "entries">) {
  const [typed, setTyped] = useState("");
  // Asked once the typing rests, since each question makes the whole file.
  const title = useDebounced(typed.trim());
  const { data, problem } = useQuery([entries.join(), title], (api) => {
    const body = { entries: [...entries], ...(title && { title }) };
    return unwrap(api.POST("/_sandbox/recordings", { body }));
  });
  if (problem !== undefined || !data) return <Loading problem={problem} />;
  const { steps, text, left_out } = data;
  // From the title, as a file of the folder scenarios/ is named.
  const file = `${
    data.title
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-|-$/g, "") || "story"
  }.yaml`;
  return (
    <div class="column">
      <Field label="Title">
        <input value={typed} placeholder={data.title} onInput={({ currentTarget }) => setTyped(currentTarget.value)} />
      </Field>
      <p class="quiet">
        {count(steps, "step")}. It plays in a fresh world: <code>{formatCommand(`play ${file}`)}</code>
      </p>
      {/* What no step can say, such as a body that is no object. */}
      {left_out.map((sentence) => (
        <p key={sentence} class="warn-text">
          {sentence}
        </p>
      ))}
      <div class="bar">
        <Button class="primary" onClick={() => download(file, text)}>
          Download {file}
        </Button>
        <CopyButton text={() => text}>Copy</CopyButton>
      </div>
      <Json value={text} label="Scenario" />
    </div>
  );
}

/** Without a request: the text is here already. */
function download(file: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/yaml" }));
  Object.assign(document.createElement("a"), { href: url, download: file }).click();
  // The browser has the file by then, or never gets it.
  setTimeout(() => URL.revokeObjectURL(url), URL_LIFETIME_MS);
}
