// .sandbox/server.json: where a sandbox that runs from this folder listens, so that commands find it. If the sandbox was started with a
// control token, the file holds it, and only its owner can read the file.
import { rmdirSync, rmSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { findOutside, readBounded } from "../platform/bounded-file.ts";
import { makeFolder } from "../platform/make-folder.ts";
import { replaceFile } from "./whole-file.ts";

export interface Server {
  url: string;
  pid: number;
  /** When its process started, as `findProcessStart` gives it; older releases did not write it. */
  start?: string | undefined;
  /** The id of this run: `GET /_sandbox` answers with the same. */
  instance: string;
  /** The control token, if one was set. */
  token?: string;
}

const FOLDER = ".sandbox";
/** In bytes. A file has a few hundred. */
const MAX_FILE_BYTES = 4096;

/** In `.sandbox/` of the data file's folder, which may be it itself; in memory, of the working folder. */
export function getServerFile(data: string | undefined): string {
  const folder = resolve(data === undefined ? "." : dirname(data));
  return join(folder, basename(folder) === FOLDER ? "" : FOLDER, "server.json");
}

/** A `server.json` and the sandbox that it names; null where it holds something else. */
export interface ServerRecord {
  file: string;
  /** The folder whose `.sandbox` holds the file. */
  project: string;
  server: Server | null;
}

/** The nearest `server.json` from a folder upwards. */
export function findRecord(folder: string): ServerRecord | undefined {
  const project = resolve(folder);
  const file = join(project, FOLDER, "server.json");
  const server = readServer(file);
  if (server !== undefined) return { file, project, server };
  const above = dirname(project);
  return above === project ? undefined : findRecord(above);
}

/** The server that a file names: null where the file holds something else, undefined where there is no file. */
export function readServer(file: string): Server | null | undefined {
  try {
    // A link out of the folder is not followed.
    const text = readBounded(file, { most: MAX_FILE_BYTES, within: dirname(dirname(file)) });
    const { url, pid, start, instance, token } = (JSON.parse(text) ?? {}) as Partial<Server>;
    const isWhole =
      typeof url === "string" && URL.canParse(url) && isProcess(pid) && typeof instance === "string" && instance !== "";
    if (!isWhole) return null;
    return {
      ...({ url, pid, instance } as Server),
      ...(typeof start === "string" ? { start } : {}),
      ...(typeof token === "string" ? { token } : {}),
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : null;
  }
}

/** Zero and below are groups of processes. */
const isProcess = (pid: unknown): boolean => Number.isSafeInteger(pid) && Number(pid) > 0;

/** The file is removed when this process ends, if it still names this sandbox. */
export function writeServer(file: string, server: Server): void {
  const folder = dirname(file);
  // Undefined where the folder was there before; then it stays at the end.
  const made = makeFolder(folder);
  // A link may be where the folder should be.
  const elsewhere = findOutside(dirname(folder), folder);
  if (elsewhere !== undefined) throw new Error(`${displayPath(folder)} is a link to ${elsewhere}, out of its folder`);
  replaceFile(file, `${JSON.stringify(server)}\n`, { mode: 0o600 });
  process.on("exit", () => removeServer(file, server.instance, made !== undefined));
}

function removeServer(file: string, instance: string, withFolder: boolean): void {
  try {
    // A later sandbox may have replaced it.
    if (readServer(file)?.instance !== instance) return;
    rmSync(file);
    if (withFolder) rmdirSync(dirname(file));
  } catch {
    // The folder holds something else, or is gone.
  }
}

/** As seen from here. */
export function displayPath(file: string): string {
  const near = relative(process.cwd(), file);
  return near.startsWith("..") ? file : near;
}
