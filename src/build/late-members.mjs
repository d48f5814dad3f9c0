// Large JSON in a bundle: parsed as JSON, which V8 does faster than reading it as a program. Of the specification and its like, most runs
// read few members: the long ones stand in a file beside the program, and each is read when somebody first asks for it.
import { readFileSync } from "node:fs";
import { basename } from "node:path";

/** From this length on. */
const LATE_CHARACTERS = 1000;

/** By name: files that are to stand in the folder. */
export const filesOfMembers = new Map();

/** `folder`: an expression, for where the files are when the program runs. */
export const lateMembers = (folder) => ({
  name: "late-members",
  setup(builder) {
    builder.onLoad(
      { filter: /[\\/]src[\\/]contract[\\/]generated[\\/].*\.json$|mime-db[\\/]db\.json$/ },
      ({ path }) => {
        const file = `${basename(path, ".json")}.members`;
        const [program, members] = taken(JSON.parse(readFileSync(path, "utf8")), file);
        if (members !== "") filesOfMembers.set(file, members);
        return { contents: `${lateIn(folder)}module.exports = ${program};`, loader: "js" };
      },
    );
  },
});

const lateIn = (folder) => `const { closeSync, openSync, readSync } = require("node:fs");
const { join } = require("node:path");
const read = (name, at, length) => {
  const bytes = Buffer.alloc(length);
  const file = openSync(join(${folder}, name));
  try {
    readSync(file, bytes, 0, length, at);
  } finally {
    closeSync(file);
  }
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new Error(name + " was replaced while this program ran. Start it again.");
  }
};
const late = (all, file, places) => {
  for (const name in places) Object.defineProperty(all, name, { enumerable: true, configurable: true, get() {
    const value = read(file, ...places[name]);
    Object.defineProperty(all, name, { enumerable: true, configurable: true, writable: true, value });
    return value;
  } });
  return all;
};
`;

/** The expression for a document, and the text of its late members, one a line. */
function taken(document, file) {
  let members = "";
  let end = 0;
  const locate = (text) => {
    const at = end;
    const length = Buffer.byteLength(text);
    members += `${text}\n`;
    end += length + 1;
    return [at, length];
  };
  const each = (value) => expressionOf(value, file, locate);
  const program = Array.isArray(document) ? `[${document.map(each).join(",")}]` : each(document);
  return [program, members];
}

/** Its members stay in their order. */
function expressionOf(value, file, locate) {
  const positions = {};
  const text = JSON.stringify(value, function (name, member) {
    if (this !== value || typeof member !== "object" || member === null) return member;
    const whole = JSON.stringify(member);
    if (whole.length < LATE_CHARACTERS) return member;
    positions[name] = locate(whole);
    return null;
  });
  const parsed = `JSON.parse(${JSON.stringify(text)})`;
  if (Object.keys(positions).length === 0) return parsed;
  return `late(${parsed}, ${JSON.stringify(file)}, ${JSON.stringify(positions)})`;
}
