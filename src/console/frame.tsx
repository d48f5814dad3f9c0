// The frame of every screen: the top bar, the menu, the dialogs, and messages about a missing sandbox, token or world.
import { useEffect } from "preact/hooks";
import { control, reach, unwrap } from "./api.ts";
import { Find } from "./find.tsx";
import { listKeys, openDialog, useKeys } from "./keys.ts";
import { ActionForm, Dialog } from "./parts/actions.tsx";
import { Empty, Field, SubmitButton } from "./parts/primitives.tsx";
import { address, getQuery, navigate, sandboxUrl, toHref } from "./router.ts";
import { SCREENS } from "./screens.tsx";
import { worldProblem } from "./store.ts";
import { switchTheme, TopBar } from "./top-bar.tsx";

export function Frame() {
  const { screen, rest } = address.value;
  const chosen = SCREENS.find(({ path }) => path === screen);
  useEffect(() => {
    document.title = `${chosen?.title ?? "Not found"} · Sandbox console`;
    // The menu is one line that scrolls on a phone, so the current screen is scrolled into view.
    document.querySelector(".menu [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [chosen]);
  useKeys({
    ...Object.fromEntries(
      SCREENS.map(({ path, title, key }) => [
        `g ${key}`,
        { help: `go to ${title}`, run: () => navigate(toHref(path)) },
      ]),
    ),
    "?": { help: "show the keys", run: () => (openDialog.value = "keys") },
    // The first search field is the filter of the screen, if it has one.
    "/": { help: "filter", run: () => document.querySelector<HTMLElement>("input[type=search]")?.focus() },
    s: { help: "find anything", run: () => (openDialog.value = "find") },
    d: { help: "light, dark, or as the system", run: switchTheme },
    Escape: { run: () => document.activeElement instanceof HTMLElement && document.activeElement.blur() },
  });
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <TopBar />
      <nav class="menu" aria-label="Screens">
        {SCREENS.map(({ path, title, key }) => (
          <a key={path} href={toHref(path)} aria-current={path === screen ? "page" : undefined}>
            {title} <kbd>g {key}</kbd>
          </a>
        ))}
      </nav>
      <main id="main" tabIndex={-1}>
        <h1 class="for-readers">{chosen?.title ?? "Not found"}</h1>
        {/* The last data stays visible below. */}
        {reach.value === "away" && (
          <p class="note bad" role="status">
            The sandbox at {sandboxUrl} is unreachable. Retrying; the data below may be outdated.
          </p>
        )}
        <Content chosen={chosen} rest={rest} />
      </main>
      {openDialog.value === "keys" && <Keys />}
      {(openDialog.value === "find" || getQuery("find") !== "") && <Find />}
    </>
  );
}

/** Shows the screen, or what is missing: the token, the world or the screen itself. */
function Content({ chosen, rest }: { chosen: (typeof SCREENS)[number] | undefined; rest: readonly string[] }) {
  if (reach.value === "locked") return <SignIn />;
  if (worldProblem.value)
    return (
      <Empty title={worldProblem.value}>
        <a href={toHref("timeline", [], { world: undefined })}>Look at the world “default”</a>
      </Empty>
    );
  if (!chosen)
    return (
      <Empty title={`There is no screen “${address.value.screen}”.`}>
        <a href={toHref("timeline")}>To the timeline</a>
      </Empty>
    );
  const { Show } = chosen;
  return <Show rest={rest} />;
}

/** The form for the control token. The session is a cookie that scripts can't read, so no script keeps the token. */
function SignIn() {
  const signIn = async ({ token = "" }: Readonly<Record<string, string>>) => {
    try {
      await unwrap<unknown>(control.peek().POST("/_sandbox/session", { body: { token } }));
    } catch (reason) {
      reach.value = "locked";
      throw reason;
    }
  };
  return (
    <ActionForm class="sign-in stack" run={signIn}>
      <h2>Token required</h2>
      <p>
        `sandbox start` prints the control token where it was started. If the sandbox has teams, use a token of your
        team (sbx_…); an owner of the team creates one with `sandbox token create`.
      </p>
      <Field label="Token">
        <input name="token" type="password" autocomplete="off" required />
      </Field>
      <SubmitButton>Open the console</SubmitButton>
    </ActionForm>
  );
}

/** Lists the keys of the components on the page. */
const Keys = () => (
  <Dialog title="Keys" onClose={() => (openDialog.value = "")}>
    <dl class="keys">
      {listKeys().map(([key, help]) => (
        <div key={key} class="bar">
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
