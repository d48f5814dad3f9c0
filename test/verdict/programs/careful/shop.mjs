// The careful program itself: no check may speak against it.
import { run } from "../shop.mjs";

await run();
