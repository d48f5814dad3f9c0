// The actions of a story: copy it, save it as a scenario, send it again, or edit it first.
import { control, type Schemas, unwrap } from "../api.ts";
import type { Entry, RequestEntry } from "../entries.ts";
import { ActionButton, ActionForm, Dialog } from "../parts/actions.tsx";
import { Button, CopyButton, Field, SubmitButton } from "../parts/primitives.tsx";
import { getQuery, navigate, setQuery, toHref } from "../router.ts";
import { SaveScenario } from "../timeline/save-scenario.tsx";
import { findChanges, toEditableRequest } from "./sent-request.ts";
import { formatActCommand, formatCurl, formatTest } from "./snippets.ts";

interface ActionsProps {
  entry: Entry;
  operations: Schemas["OperationList"]["items"];
}

export function Actions({ entry, operations }: ActionsProps) {
  if (entry.kind !== "act" && entry.kind !== "request") return null;
  return (
    <div class="bar">
      {entry.kind === "act" && <CopyButton text={() => formatActCommand(entry)}>Copy as command</CopyButton>}
      {entry.kind === "request" && (
        <>
          <CopyButton text={() => formatCurl(entry)}>Copy as curl</CopyButton>
          <CopyButton text={() => formatTest(entry)}>Copy as test</CopyButton>
          {/* The request is sent with a token of the same client. */}
          <ActionButton run={() => resendRequest(entry.id)}>Send again</ActionButton>
          <Button onClick={() => setQuery({ edit: AS_SENT })}>Edit and send again</Button>
          {getQuery("edit") && <EditDialog entry={entry} operations={operations} />}
        </>
      )}
      <SaveScenario entries={[entry.id]} />
    </div>
  );
}

/** Sends a logged request again, unchanged or with fields set, and shows its story. */
async function resendRequest(id: string, set: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const params = { path: { requestId: id } };
  const sent = await unwrap(control.peek().POST("/_sandbox/requests/{requestId}/replay", { params, body: { set } }));
  navigate(toHref("story", [sent.id]));
}

/** The value of the address while the text is not edited. */
const AS_SENT = "as-sent";

function EditDialog({ entry, operations }: ActionsProps & { entry: RequestEntry }) {
  const template = operations.find(({ operation_id }) => operation_id === entry.operation)?.path;
  const before = toEditableRequest(entry, template);
  const edited = getQuery("edit");
  const text = edited === AS_SENT ? JSON.stringify(before, null, 2) : edited;
  return (
    <Dialog title="Edit and send again" onClose={() => setQuery({ edit: undefined })}>
      <ActionForm class="stack" run={async () => resendRequest(entry.id, findChanges(before, text))}>
        <p class="id">
          {entry.method} {template ?? entry.path}
        </p>
        <Field label="Request" help="A field that is removed is not sent. The sandbox adds the token.">
          <textarea
            rows={20}
            value={text}
            spellcheck={false}
            onInput={({ currentTarget }) => setQuery({ edit: currentTarget.value })}
          />
        </Field>
        <p>
          <SubmitButton>Send</SubmitButton>
        </p>
      </ActionForm>
    </Dialog>
  );
}
