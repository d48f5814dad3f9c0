// The dialog that saves log entries as a scenario. The sandbox creates the file, or says why it can't.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { count } from "../../platform/count.ts";
import { formatCommand } from "../../platform/format-command.ts";
import { unwrap } from "../api.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Button, CopyButton, Field, Json, Loading } from "../parts/primitives.tsx";
import { useDebounced } from "../parts/use-debounced.ts";
import { useQuery } from "../query.ts";

/** The URL lives long enough for a browser that saves slowly. */
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
  // The request waits until typing pauses, because each one creates the complete file.
  const title = useDebounced(typed.trim());
  const { data, problem } = useQuery([entries.join(), title], (api) => {
    const body = { entries: [...entries], ...(title && { title }) };
    return unwrap(api.POST("/_sandbox/recordings", { body }));
  });
  if (problem !== undefined || !data) return <Loading problem={problem} />;
  const { steps, text, left_out } = data;
  // The file name follows the title, like the files in scenarios/.
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
      {/* Entries that no step can express, such as a body that is not an object. */}
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

/** Saves the text as a file without a request. */
function download(file: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/yaml" }));
  Object.assign(document.createElement("a"), { href: url, download: file }).click();
  // The browser has read the URL after this time.
  setTimeout(() => URL.revokeObjectURL(url), URL_LIFETIME_MS);
}
