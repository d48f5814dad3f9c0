// The English and the names of this project, measured against the limits of writing-rules.ts.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import {
  IRREGULAR_PARTICIPLES,
  LIMITS,
  LITERARY_WORDS,
  MAX_SENTENCE_WORDS,
  type Measure,
  NOT_PARTICIPLES,
  PREPOSITIONS,
  VERBS,
  WEAK_BEGINNINGS,
} from "./writing-rules.ts";

type WrittenFile = { file: string; text: string };

function listFiles(...patterns: string[]): WrittenFile[] {
  const names = execFileSync("git", ["ls-files", "-co", "--exclude-standard", ...patterns], { encoding: "utf8" });
  const isWritten = (file: string) => !file.includes("/generated/") && !file.endsWith("CHANGELOG.md");
  const files = names.trim().split("\n").filter(isWritten);
  return files.map((file) => ({ file, text: readFileSync(file, "utf8") }));
}

const documents = listFiles("*.md");
const specifications = listFiles("spec/**/*.yaml", "spec/*.yaml", "spec/*.json");
const sources = listFiles("src/**/*.ts", "src/**/*.tsx", "src/**/*.mjs");

const literaryWord = new RegExp(`\\b(?:${LITERARY_WORDS.join("|")})\\b`, "gi");

function findLiteraryWords(files: readonly WrittenFile[]): string[] {
  return files.flatMap(({ file, text }) => Array.from(text.matchAll(literaryWord), ([word]) => `${file}: ${word}`));
}

const parse = ({ file, text }: WrittenFile) =>
  ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true, file.endsWith("x") ? ts.ScriptKind.TSX : undefined);

/** Names of functions and methods; components of the console begin with a capital letter and are nouns. */
function findFunctionNames(files: readonly WrittenFile[]): { name: string; file: string }[] {
  return files.flatMap((source) => {
    const names: string[] = [];
    const visit = (node: ts.Node): void => {
      if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) && node.body && node.name)
        names.push(node.name.getText());
      if (ts.isVariableDeclaration(node) && node.initializer && ts.isFunctionLike(node.initializer))
        names.push(node.name.getText());
      ts.forEachChild(node, visit);
    };
    visit(parse(source));
    return names.filter((name) => /^[a-z]/.test(name)).map((name) => ({ name, file: source.file }));
  });
}

const readFirstWord = (name: string): string => /^[a-z]+/.exec(name)?.[0] ?? "";
const beginsWithVerb = ({ name }: { name: string }): boolean => VERBS.has(readFirstWord(name));
const endsWithPreposition = ({ name }: { name: string }): boolean =>
  !VERBS.has(readFirstWord(name)) && PREPOSITIONS.some((word) => name.endsWith(word));

function isParticiple({ name }: { name: string }): boolean {
  const word = readFirstWord(name);
  if (name !== word || NOT_PARTICIPLES.has(word)) return false;
  return word.endsWith("ed") || IRREGULAR_PARTICIPLES.has(word);
}

/** Comments of a file, each as one text; directives of tools are none. */
function findComments(files: readonly WrittenFile[]): { file: string; text: string }[] {
  return files.flatMap(({ file, text }) => {
    const blocks = text.match(/\/\*\*?[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n?)+/gm) ?? [];
    return blocks
      .map((block) => block.replace(/^[ \t]*(?:\/\/|\/\*\*?|\*\/|\*)?[ \t]?|\*\/$/gm, "").trim())
      .filter((comment) => /^[A-Z`]/.test(comment) && !/^(?:biome|@ts|eslint)/.test(comment))
      .map((comment) => ({ file, text: comment }));
  });
}

const hasWeakBeginning = ({ text }: WrittenFile): boolean =>
  WEAK_BEGINNINGS.has(text.split(/[^A-Za-z]/)[0]?.toLowerCase() ?? "");

/** Sentences of prose: no tables, code blocks, lists of links or headings. */
function findLongSentences(files: readonly WrittenFile[]): string[] {
  return files.flatMap(({ file, text }) => {
    const prose = text.replace(/```[\s\S]*?```/g, "").replace(/^(?:\||#|<).*$/gm, "");
    const paragraphs = prose.split(/\n\s*\n|\n(?=\s*[-*\d])/);
    const sentences = paragraphs.flatMap((paragraph) => paragraph.replace(/\s+/g, " ").split(/(?<=[.!?:;])\s/));
    return sentences
      .filter((sentence) => sentence.split(" ").length > MAX_SENTENCE_WORDS)
      .map((sentence) => `${file}: ${sentence}`);
  });
}

/** Spread object literals, which put several members into one line. */
function findSpreadLiterals(files: readonly WrittenFile[]): string[] {
  return files.flatMap((source) => {
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isSpreadAssignment(node) && ts.isObjectLiteralExpression(node.expression))
        found.push(`${source.file}: ${node.getText()}`);
      ts.forEachChild(node, visit);
    };
    visit(parse(source));
    return found;
  });
}

const functions = findFunctionNames(sources);
const comments = findComments(sources);
const toPercent = (part: number, all: number): number => Math.round((1000 * part) / all) / 10;
const share = (matches: (item: { name: string }) => boolean): number =>
  toPercent(functions.filter(matches).length, functions.length);

const FIGURES: Record<Measure, () => number> = {
  "literary words in documents": () => findLiteraryWords(documents).length,
  "literary words in spec": () => findLiteraryWords(specifications).length,
  "literary words in src": () => findLiteraryWords(sources).length,
  "functions that begin with a verb": () => share(beginsWithVerb),
  "functions named noun + preposition": () => share(endsWithPreposition),
  "functions named by a participle": () => share(isParticiple),
  "comments without a subject": () => toPercent(comments.filter(hasWeakBeginning).length, comments.length),
  "long sentences in documents": () => findLongSentences(documents).length,
};

describe("The writing of this project", () => {
  it.each(Object.entries(LIMITS))("%s stay within the limit", (measure, { most, least, goal }) => {
    const figure = FIGURES[measure as Measure]();
    process.stdout.write(`${measure}: ${figure} (limit ${most ?? least}, goal ${goal})\n`);
    if (most !== undefined) expect(figure).toBeLessThanOrEqual(most);
    if (least !== undefined) expect(figure).toBeGreaterThanOrEqual(least);
  });

  it("has each member of an object written directly, without `...{ a, b }`", () => {
    expect(findSpreadLiterals([...sources, ...listFiles("test/**/*.ts", "test/**/*.mjs")])).toEqual([]);
  });
});
