// A process with the store open, for tests that need a second one, or one to kill: `store-child.mjs <bundle> <role> <file>`.
import { statSync, writeSync } from "node:fs";

const [bundle, role, file] = process.argv.slice(2);
const { openStore } = await import(bundle);
const say = (line) => writeSync(1, `${line}\n`);
/** How many of the latest commits stay; the test knows the same number. */
const WINDOW = 300;

const roles = {
  async hold() {
    await openStore(file);
    say(process.pid);
    setInterval(() => {}, 1000);
  },
  async try() {
    await openStore(file).then(
      () => say("open"),
      (error) => say(`refused: ${error.message}`),
    );
    setInterval(() => {}, 1000);
  },
  async exit() {
    await openStore(file);
    process.exit();
  },
  async fill() {
    const { store } = await openStore(file);
    const pad = "x".repeat(2000);
    let retained = 0;
    let message = "";
    while (retained < 1000 && !message) {
      try {
        store.append({ commit: "w", changes: [["things", `t${retained}`, { id: `t${retained}`, pad }]] });
        retained += 1;
      } catch (error) {
        message = `${error.name}: ${error.message}`;
      }
    }
    const size = statSync(`${file}.journal.1`).size;
    store.append({ commit: "w", changes: [["things", "small", { id: "small" }]] });
    say(JSON.stringify({ kept: retained, message, size }));
  },
  async steps() {
    const { store, state: retained } = await openStore(file);
    const others = [...(retained ?? [])].filter(([world]) => world !== "w");
    const ids = [];
    for (const [world, collections] of retained ?? [])
      if (world === "w") for (const [, all] of collections) for (const { id } of all) ids.push(id);
    const add = (id) => {
      store.append({ commit: "w", changes: [["things", id, { id }]] });
      ids.push(id);
      say(id);
    };
    const view = () => [...others, ["w", [["things", ids.map((id) => ({ id }))]]]];
    add("a");
    const done = store.compact(view);
    add("b");
    await done;
    add("c");
    if (others.length > 0) {
      await store.compact(view);
      add("d");
    }
    await store.close(view);
  },
  async race() {
    const { store, state: retained } = await openStore(file);
    const rows = new Map();
    for (const [, collections] of retained ?? [])
      for (const [, all] of collections) for (const row of all) rows.set(row.id, row);
    let next = rows.size === 0 ? 0 : Math.max(...[...rows.keys()].map(Number)) + 1;
    const view = () => [["w", [["things", [...rows.values()]]]]];
    const pad = "x".repeat(200);
    for (;;) {
      const done = store.compact(view);
      for (let i = 0; i < 40; i += 1, next += 1) {
        const row = { id: String(next), pad };
        const old = String(next - WINDOW);
        const changes = [["things", row.id, row]];
        if (rows.delete(old)) changes.push(["things", old, null]);
        rows.set(row.id, row);
        store.append({ commit: "w", changes });
        say(next);
        if (i % 10 === 0) await new Promise(setImmediate);
      }
      await done;
    }
  },
};
await roles[role]();
