// Watches files for changes. Editors write a file in several steps or replace it, so folders are watched, and a change is reported after a
// short time without further changes.
import { type FSWatcher, watch } from "node:fs";
import { extname } from "node:path";

/** The time is longer than the pause of an editor between two writes of one save. */
const QUIET_MS = 100;
/** Other endings are ignored, because editors create temporary files. */
const ENDINGS = [".json", ".yaml", ".yml"];

/** Calls `changed` after each change of a JSON or YAML file in one of the folders. Returns a function that stops watching. */
export function watchFolders(folders: Iterable<string>, changed: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watchers = [...new Set(folders)].map((folder): FSWatcher => {
    const watcher = watch(folder, (_, name) => {
      if (name !== null && !ENDINGS.includes(extname(name))) return;
      clearTimeout(timer);
      timer = setTimeout(changed, QUIET_MS);
    });
    // A deleted folder is ignored here. The next change in another folder reveals its missing files.
    return watcher.on("error", () => watcher.close());
  });
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
