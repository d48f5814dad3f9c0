// The console: a client of the control API in the browser. See screens.tsx for what it shows, stores/ for what it knows, and
// console.css for how it looks.
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
// The log first: its lines are what somebody waits for.
followLog();
keepFresh();
render(<Frame />, document.getElementById("app") as HTMLElement);
