// What happened in this world, one line a story, the newest below.

import { Empty } from "../parts/bits.tsx";
import { WindowList } from "../parts/window-list.tsx";
import { href } from "../router.ts";
import { changed, stories } from "../stores/log.ts";

export function Timeline() {
  changed.value;
  return (
    <WindowList
      label="Stories"
      follow
      items={stories.all}
      keyOf={({ head }) => head.seq}
      line={({ head }) => <a href={href("story", [head.id])}>{head.id}</a>}
      empty={<Empty title="Nothing has happened in this world yet." />}
    />
  );
}
