// Reads and writes .sandbox/server.json, which records the address of the sandbox that runs from this folder, so that commands find it.
// The file contains the control token, if there is one, so only its owner can read it.
import { rmdirSync, rmSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { findOutside, readBounded } from "../platform/bounded-file.ts";
import { makeFolder } from "../platform/make-folder.ts";
import { replaceFile } from "./whole-file.ts";

export interface Server {
  url: string;
  pid: number;
  /** The start of the process, from `findProcessStart`, where the system reports it. */
  start?: string | undefined;
  /** The id of this run, which `GET /_sandbox` also returns. */
  instance: string;
  /** The control token, if one was set. */
  token?: string;
}

const FOLDER = ".sandbox";
/** A valid file has a few hundred bytes. */
const MAX_FILE_BYTES = 4096;

/** Returns the path of server.json: in the `.sandbox` of the data file's folder or, for a sandbox in memory, of the working folder. */
export function getServerFile(data: string | undefined): string {
  const folder = resolve(data === undefined ? "." : dirname(data));
  return join(folder, basename(folder) === FOLDER ? "" : FOLDER, "server.json");
}

/** A `server.json` and the sandbox that it names. `server` is null if the content is invalid. */
export interface ServerRecord {
  file: string;
  /** The folder whose `.sandbox` holds the file. */
  project: string;
  server: Server | null;
}

/** Finds the nearest `server.json` from a folder upwards. */
export function findRecord(folder: string): ServerRecord | undefined {
  const project = resolve(folder);
  const file = join(project, FOLDER, "server.json");
  const server = readServer(file);
  if (server !== undefined) return { file, project, server };
  const above = dirname(project);
  return above === project ? undefined : findRecord(above);
}

/** Returns null for invalid content, and undefined without a file. */
export function readServer(file: string): Server | null | undefined {
  try {
    // `within` rejects a link that points outside the folder.
    const text = readBounded(file, { most: MAX_FILE_BYTES, within: dirname(dirname(file)) });
    const server = JSON.parse(text) as Server;
    const { url, pid, start, instance, token } = server;
    const texts = [url, instance, start ?? "none", token ?? "none"];
    const isWhole = texts.every((each) => typeof each === "string" && each !== "") && URL.canParse(url);
    // A pid of zero or less would address a group of processes.
    return isWhole && Number.isSafeInteger(pid) && pid > 0 ? server : null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : null;
  }
}

/** Creates the folder `.sandbox`. Returns true if it did not exist. Throws if it is a link that leaves its folder. */
export function makeSandboxFolder(folder: string): boolean {
  const made = makeFolder(folder);
  const elsewhere = findOutside(dirname(folder), folder);
  if (elsewhere !== undefined) throw new Error(`${displayPath(folder)} is a link to ${elsewhere}, outside its folder`);
  return made !== undefined;
}

/** Writes the file, and removes it when this process ends, if it still names this sandbox. */
export function writeServer(file: string, server: Server): void {
  const isNew = makeSandboxFolder(dirname(file));
  replaceFile(file, `${JSON.stringify(server)}\n`, 0o600);
  process.on("exit", () => {
    try {
      // A later sandbox may have replaced the file.
      if (readServer(file)?.instance !== server.instance) return;
      rmSync(file);
      if (isNew) rmdirSync(dirname(file));
    } catch {
      // The folder contains other files, or was deleted.
    }
  });
}

/** Returns the path relative to the working folder if the file is below it. */
export function displayPath(file: string): string {
  const near = relative(process.cwd(), file);
  return near.startsWith("..") ? file : near;
}
