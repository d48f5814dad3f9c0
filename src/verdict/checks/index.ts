// All checks, in the order in which they are reported: the linters, which read the control run, and the drills.
import type { Check } from "../check.ts";
import { auth02 } from "./auth-02.ts";
import { auth04 } from "./auth-04.ts";
import { auth05 } from "./auth-05.ts";
import { book03 } from "./book-03.ts";
import { book04 } from "./book-04.ts";
import { lang01 } from "./lang-01.ts";
import { page01 } from "./page-01.ts";
import { sync01 } from "./sync-01.ts";

export const checks: readonly Check[] = [auth02, auth04, auth05, book03, book04, page01, sync01, lang01];
