// The types of jest that the jest subpath uses. Users install jest themselves.
declare module "@jest/globals" {
  type Register = (name: string, run: () => Promise<void>, timeout?: number) => void;
  export function afterAll(run: () => Promise<void>): void;
  export function afterEach(run: () => Promise<void>): void;
  export const test: Register & { only: Register; skip: Register; failing: Register; concurrent: Register };
}
