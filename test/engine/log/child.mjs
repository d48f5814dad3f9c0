// A process with a data file open, for tests that need a second one, or one to kill: `child.mjs <bundle> <role> <file>`.
import { writeSync } from "node:fs";

const [bundle, role, file] = process.argv.slice(2);
const { openWorld } = await import(bundle);
const print = (line) => writeSync(1, `${line}\n`);
const wait = () => setInterval(() => {}, 1000);
/** How many of the latest records stay; the test knows the same number. */
const WINDOW = 300;

const roles = {
  async hold() {
    await openWorld(file);
    print(process.pid);
    wait();
  },
  async try() {
    await openWorld(file).then(
      () => print("open"),
      (error) => print(`rejected: ${error.message}`),
    );
    wait();
  },
  async exit() {
    await openWorld(file);
    process.exit();
  },
  async fill() {
    const { add } = await openWorld(file);
    let stored = 0;
    let message = "";
    while (stored < 1000 && !message) {
      try {
        add(`t${stored}`, "x".repeat(2000));
        stored += 1;
      } catch (error) {
        message = `${error.name}: ${error.message}`;
      }
    }
    add("small");
    print(JSON.stringify({ stored, message }));
  },
  async steps() {
    const world = await openWorld(file, { durability: "fsync" });
    const add = async (id) => {
      world.add(id);
      await world.store.waitUntilDurable();
      print(id);
    };
    await add("a");
    world.read();
    const compacted = world.store.compact();
    await add("b");
    await compacted;
    await add("c");
    await world.close();
  },
  async race() {
    const durability = process.env.DURABILITY;
    const world = await openWorld(file, { maxBytes: 64 * 1024, durability });
    let next = world.rows.size === 0 ? 0 : Math.max(...[...world.rows.keys()].map(Number)) + 1;
    for (;;) {
      for (let i = 0; i < 40; i += 1, next += 1) {
        const seq = world.replace(String(next - WINDOW), String(next), "x".repeat(200));
        world.read();
        if (durability === "fsync") await world.store.waitUntilDurable();
        print(`${next} ${seq}`);
        if (i % 10 === 0) await new Promise(setImmediate);
      }
    }
  },
};
await roles[role]();
