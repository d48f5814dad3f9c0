// The dialog that edits a logged request and sends it again.
import { useState } from "preact/hooks";
import { describeError, type Schemas } from "../api.ts";
import type { RequestEntry } from "../entries.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Field, SubmitButton } from "../parts/primitives.tsx";
import { getQuery, navigate, setQuery, toHref } from "../router.ts";
import { replay } from "./replay.ts";
import { findChanges, parseEditedTexts, type RequestTexts, splitLines, toEditableTexts } from "./request-texts.ts";

interface EditProps {
  entry: RequestEntry;
  template: Schemas["OperationList"]["items"][number] | undefined;
  onClose: () => void;
}

const HELP: Readonly<Partial<Record<keyof RequestTexts, string>>> = {
  path: "One parameter a line: name=value",
  query: "One a line: name=value. A line that is taken away is not sent.",
  header: "One a line: name=value. The token is put in by the sandbox.",
};
const LABELS: Readonly<Record<keyof RequestTexts, string>> = {
  path: "Path",
  query: "Query",
  header: "Headers",
  body: "Body",
};

export function Edit({ entry, template, onClose }: EditProps) {
  // The original texts are kept, because the entry may be reloaded while the dialog is open.
  const [before] = useState(() => toEditableTexts(entry, template));
  const texts: RequestTexts = { ...before, ...parseEditedTexts(getQuery("edit")) };
  const [problem, setProblem] = useState("");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const set = findChanges(before, texts);
    // A text that can't be parsed is not sent.
    if (typeof set === "string") return setProblem(set);
    replay(entry.id, set).then(
      (replayed) => navigate(toHref("story", [replayed.id])),
      (reason) => setProblem(describeError(reason)),
    );
  };
  // The dialog offers only the parts that the request has.
  const parts = (Object.keys(LABELS) as (keyof RequestTexts)[]).filter((part) => before[part] !== undefined);
  return (
    <Dialog title="Edit and send again" onClose={onClose}>
      <form class="column" onSubmit={submit}>
        <p class="id">
          {entry.method} {template?.path ?? entry.path}
        </p>
        {parts.map((part) => (
          <Field
            key={part}
            label={LABELS[part]}
            help={HELP[part]}
            problem={part === parts.at(-1) ? problem || undefined : undefined}
          >
            <textarea
              rows={part === "body" ? 14 : Math.max(2, splitLines(texts[part]).length)}
              value={texts[part]}
              spellcheck={false}
              onInput={({ currentTarget }) =>
                setQuery({
                  edit: JSON.stringify({ ...parseEditedTexts(getQuery("edit")), [part]: currentTarget.value }),
                })
              }
            />
          </Field>
        ))}
        <div class="bar">
          <SubmitButton>Send</SubmitButton>
        </div>
      </form>
    </Dialog>
  );
}
