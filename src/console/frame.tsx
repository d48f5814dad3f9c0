// The frame of every screen: the top bar, the menu, and messages about a missing sandbox, token or world.
import { useEffect } from "preact/hooks";
import { reach } from "./api.ts";
import { Find, isFindOpen } from "./find.tsx";
import { Help, isHelpOpen } from "./help.tsx";
import { sandboxUrl } from "./home.ts";
import { useKeys } from "./keys.ts";
import { Empty } from "./parts/primitives.tsx";
import { address, getQuery, navigate, toHref } from "./router.ts";
import { SCREENS } from "./screens.tsx";
import { SignIn } from "./sign-in.tsx";
import { worldProblem } from "./stores/world.ts";
import { switchTheme } from "./theme.ts";
import { TopBar } from "./top-bar.tsx";

/** The frame around every screen: the menu, the top bar, the keys and the dialogs. */
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
    "?": { help: "show the keys", run: () => (isHelpOpen.value = true) },
    // The first search field is the filter of the screen, if it has one.
    "/": { help: "filter", run: () => document.querySelector<HTMLElement>("input[type=search]")?.focus() },
    s: { help: "find anything", run: () => (isFindOpen.value = true) },
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
      <main id="main" tabIndex={-1} class={`screen-${screen}`}>
        <h1 class="for-readers">{chosen?.title ?? "Not found"}</h1>
        <ConnectionBanner />
        <Content chosen={chosen} rest={rest} />
      </main>
      {isHelpOpen.value && <Help />}
      {(isFindOpen.value || getQuery("find") !== "") && <Find />}
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

/** The banner that is shown while the sandbox is unreachable. The last data stays visible below it. */
function ConnectionBanner() {
  if (reach.value !== "away") return null;
  return (
    <p class="banner" role="status">
      The sandbox at {sandboxUrl} is unreachable. Retrying; the data below may be outdated.
    </p>
  );
}
