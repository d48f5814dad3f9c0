// .sandbox/server.json: where a sandbox that runs from this folder listens, so that commands find it. If the sandbox was started with a
// control token, the file holds it, and only its owner can read the file.
import { renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { outOf, readBounded } from "../platform/bounded-file.ts";
import { makeFolder } from "../platform/make-folder.ts";

export interface Server {
  url: string;
  pid: number;
  /** The id of this run: `GET /_sandbox` answers with the same. */
  instance: string;
  /** The control token, if one was set. */
  token?: string;
}

const FOLDER = ".sandbox";
/** In bytes. A file has a few hundred. */
const LONGEST = 4096;

/** In `.sandbox/` of the data file's folder, which may be it itself; in memory, of the working folder. */
export function serverFileFor(data: string | undefined): string {
  const folder = resolve(data === undefined ? "." : dirname(data));
  return join(folder, basename(folder) === FOLDER ? "" : FOLDER, "server.json");
}

/** The files that name a server, from here upwards, the nearest first. */
export function serverFilesFrom(folder: string): string[] {
  const here = resolve(folder);
  const above = dirname(here);
  return [join(here, FOLDER, "server.json"), ...(above === here ? [] : serverFilesFrom(above))];
}

/** The server that a file names: null where the file holds something else, undefined where there is no file. */
export function readServer(file: string): Server | null | undefined {
  try {
    // A link out of the folder is not followed.
    const text = readBounded(file, { most: LONGEST, within: dirname(dirname(file)) });
    const { url, pid, instance, token } = (JSON.parse(text) ?? {}) as Partial<Server>;
    const isWhole =
      typeof url === "string" && URL.canParse(url) && isProcess(pid) && typeof instance === "string" && instance !== "";
    if (!isWhole) return null;
    return { url, pid, instance, ...(typeof token === "string" ? { token } : {}) } as Server;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : null;
  }
}

/** Zero and below are groups of processes. */
const isProcess = (pid: unknown): boolean => Number.isSafeInteger(pid) && Number(pid) > 0;

/** Beside and renamed, so that nobody reads half of it. The file goes when this process ends, if it is still its own. */
export function writeServer(file: string, server: Server): void {
  const folder = dirname(file);
  // Undefined where the folder was there before; then it stays at the end.
  const made = makeFolder(folder);
  // Somebody may have put a link where the folder should be.
  const elsewhere = outOf(dirname(folder), folder);
  if (elsewhere !== undefined) throw new Error(`${displayPath(folder)} is a link to ${elsewhere}, out of its folder`);
  const draft = `${file}.${process.pid}`;
  try {
    rmSync(draft, { force: true });
    // Made anew, so that a link that lies there is not written through.
    writeFileSync(draft, `${JSON.stringify(server)}\n`, { flag: "wx", mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
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
