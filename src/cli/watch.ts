// Waits for files to change. Editors write a file in several steps, or put another in its place: folders are watched, and a change is
// reported once they have been quiet for a moment.
import { type FSWatcher, watch } from "node:fs";
import { extname } from "node:path";

/** Longer than an editor takes between two writes of one save. */
const QUIET_MS = 100;
/** Editors leave temporary files of other names in the folder. */
const ENDINGS = [".json", ".yaml", ".yml"];

/**
 * Calls `changed` after each change of a JSON or YAML file in one of the folders, and when one of the awaited names appears there. Returns a
 * function that ends it.
 */
export function watchFolders(
  folders: Iterable<string>,
  changed: () => void,
  awaited: readonly string[] = [],
): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watchers = [...new Set(folders)].map((folder): FSWatcher => {
    const watcher = watch(folder, (_, name) => {
      if (name !== null && !ENDINGS.includes(extname(name)) && !awaited.includes(name)) return;
      clearTimeout(timer);
      timer = setTimeout(changed, QUIET_MS);
    });
    // The folder is gone: what it held is read, and missed, at the next change of another.
    return watcher.on("error", () => watcher.close());
  });
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
