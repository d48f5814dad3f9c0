// .sandbox/server.json: where a sandbox that runs from this folder listens, so that commands find it. It holds no secret.
import { mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";

export interface Server {
  url: string;
  pid: number;
  /** The id of this run: `GET /_sandbox` answers with the same. */
  instance: string;
}

const FOLDER = ".sandbox";

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
    const { url, pid, instance } = (JSON.parse(readFileSync(file, "utf8")) ?? {}) as Partial<Server>;
    const isWhole =
      typeof url === "string" && URL.canParse(url) && Number.isInteger(pid) && typeof instance === "string";
    return isWhole ? ({ url, pid, instance } as Server) : null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : null;
  }
}

/** Beside and renamed, so that nobody reads half of it. The file goes when this process ends, if it is still its own. */
export function writeServer(file: string, server: Server): void {
  const made = mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify(server)}\n`);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  process.on("exit", () => removeServer(file, server.instance, made !== undefined));
}

function removeServer(file: string, instance: string, withFolder: boolean): void {
  try {
    if (readServer(file)?.instance !== instance) return;
    rmSync(file);
    if (withFolder) rmdirSync(dirname(file));
  } catch {
    // The folder holds something else, or is gone.
  }
}

/** As seen from here. */
export function shownPath(file: string): string {
  const near = relative(process.cwd(), file);
  return near.startsWith("..") ? file : near;
}
