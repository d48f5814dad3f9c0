// Which language an answer is in. Assumptions: language-missing, language-mismatch.
import { describe, expect, it } from "vitest";
import { negotiate, translate } from "../../../src/engine/domain/catalogue/language.ts";

const STOREFRONT = ["da", "en-GB", "de"];

describe("Accept-Language", () => {
  it.each<[string | undefined, string, string]>([
    [undefined, "da", "takes the first when it is missing"],
    ["", "da", "takes the first when it is empty"],
    [" , ,", "da", "takes the first when it names nothing"],
    ["*", "da", "takes the first for *"],
    ["de", "de", "takes what is asked for"],
    ["DE", "de", "has no regard to case"],
    ["en", "en-GB", "takes a region for its language"],
    ["de-AT", "de", "takes a language for its region"],
    ["en-US, de", "de", "does not take one region for another"],
    ["de;q=0.5, da;q=0.9", "da", "prefers the higher quality"],
    ["de;q=0.7, da;q=0.7", "de", "keeps the order of equals"],
    ["fr, *;q=0.1", "da", "falls back to * at last"],
    ["da;q=0, *", "en-GB", "excludes what has quality 0"],
    ["da;q=0.5, *", "en-GB", "takes for * what no other range names"],
    ["en;q=0.5, de-AT;q=0.1, *", "da", "takes for * what no range names in the other breadth either"],
    ["da;q=0.5, en;q=0.4, de;q=0.3, *", "da", "takes nothing for * where every language is named"],
    ["de;q=0.001, da;q=0", "de", "takes what is hardly wanted"],
    ["de;Q=0.8;level=1", "de", "minds no other parameter"],
    ["de-AT;q=0, de", "de", "excludes no more than that region"],
    ["en;q=0, *;q=0.5", "da", "excludes the regions of a language with it"],
    ["fr, en;q=0.3", "en-GB", "passes over what there is not"],
    [" de ; q=1 ", "de", "minds no blanks"],
  ])("%s gives %s: it %s", (header, language) => {
    expect(negotiate(header, STOREFRONT)).toBe(language);
  });

  it.each(["fr", "en-US", "da;q=0", "*;q=0", "en-GB;q=0, en", "*, da;q=0, en;q=0, de;q=0"])(
    "%s matches nothing, and is rejected",
    (header) => {
      expect(() => negotiate(header, STOREFRONT)).toThrow(/It has: da, en-GB, de/);
    },
  );
});

describe("A weight", () => {
  it.each(["q=abc", "q=", "q=1.5", "q=-1", "q=.5", "q=1e0", "q=+1", "q=NaN"])("%s can't be parsed", (weight) => {
    expect(() => negotiate(`de, da;${weight}`, STOREFRONT)).toThrow(`${weight.split(",")[0]} is not a weight`);
  });
});

it("A region is not used if the language itself is sold", () => {
  expect(negotiate("en", ["en-GB", "en"])).toBe("en");
});

describe("A text", () => {
  it.each([
    [{ da: "Havn", de: "Hafen" }, "de", "Hafen"],
    [{ da: "Havn" }, "de", "Havn"],
    [{ fr: "Port" }, "de", "Port"],
    [{}, "de", ""],
  ])("of %j read in %s is %s", (text, language, read) => {
    expect(translate(text, language, STOREFRONT)).toBe(read);
  });
});
