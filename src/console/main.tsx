// Starts the console, a browser client of the control API. The screens are listed in screens.tsx; store.ts holds the state.
import { render } from "preact";
import "./console.css";
import "./screens.css";
import { Frame } from "./frame.tsx";
import { listenForKeys } from "./keys.ts";
import { followLinks } from "./router.ts";
import { keepFresh } from "./store.ts";
import { initTheme } from "./top-bar.tsx";

initTheme();
followLinks();
listenForKeys();
keepFresh();
render(<Frame />, document.getElementById("app") as HTMLElement);
