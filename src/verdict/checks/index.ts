// All checks, in the order in which they are reported. Those without drills are linters, which read the control run.
import type { Check } from "../check.ts";
import { auth01 } from "./auth-01.ts";
import { auth02 } from "./auth-02.ts";
import { auth03 } from "./auth-03.ts";
import { auth04 } from "./auth-04.ts";
import { auth05 } from "./auth-05.ts";
import { auth06 } from "./auth-06.ts";
import { book01 } from "./book-01.ts";
import { book02 } from "./book-02.ts";
import { book03 } from "./book-03.ts";
import { book04 } from "./book-04.ts";
import { book05 } from "./book-05.ts";
import { hook01 } from "./hook-01.ts";
import { hook02 } from "./hook-02.ts";
import { hook03 } from "./hook-03.ts";
import { hook04 } from "./hook-04.ts";
import { hook05 } from "./hook-05.ts";
import { hook06 } from "./hook-06.ts";
import { lang01 } from "./lang-01.ts";
import { page01 } from "./page-01.ts";
import { page02 } from "./page-02.ts";
import { page03 } from "./page-03.ts";
import { retry01 } from "./retry-01.ts";
import { retry02 } from "./retry-02.ts";
import { retry03 } from "./retry-03.ts";
import { retry04 } from "./retry-04.ts";
import { retry05 } from "./retry-05.ts";
import { retry06 } from "./retry-06.ts";
import { sync01 } from "./sync-01.ts";
import { time01 } from "./time-01.ts";
import { tol01 } from "./tol-01.ts";
import { tol02 } from "./tol-02.ts";
import { tol03 } from "./tol-03.ts";
import { tol04 } from "./tol-04.ts";

export const checks: readonly Check[] = [
  auth01,
  auth02,
  auth03,
  auth04,
  auth05,
  auth06,
  retry01,
  retry02,
  retry03,
  retry04,
  retry05,
  retry06,
  book01,
  book02,
  book03,
  book04,
  book05,
  page01,
  page02,
  page03,
  tol01,
  tol02,
  tol03,
  tol04,
  hook01,
  hook02,
  hook03,
  hook04,
  hook05,
  hook06,
  sync01,
  lang01,
  time01,
];
