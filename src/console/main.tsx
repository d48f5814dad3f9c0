// Starts the console, a browser client of the control API. The screens are listed in screens.tsx; stores/ holds the
// state.
import { render } from "preact";
import "./console.css";
import { Frame } from "./frame.tsx";
import { listenForKeys } from "./keys.ts";
import { followLinks } from "./router.ts";
import { followLog } from "./stores/log.ts";
import { keepFresh } from "./stores/world.ts";
import { initTheme } from "./theme.ts";

initTheme();
followLinks();
listenForKeys();
// The log starts first, because the user waits for its lines.
followLog();
keepFresh();
render(<Frame />, document.getElementById("app") as HTMLElement);
