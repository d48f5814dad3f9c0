/** A format as AJV takes it. */
interface TextFormat {
  validate: (text: string) => boolean;
  compare?: (a: string, b: string) => number | undefined;
}
declare const formats: Readonly<Record<string, TextFormat | RegExp | ((text: string) => boolean) | true>>;
export = formats;
