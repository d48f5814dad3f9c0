// What the jest subpath uses of the runner that imports it; jest itself is the user's.
declare module "@jest/globals" {
  type Register = (name: string, run: () => Promise<void>, timeout?: number) => void;
  export const expect: {
    getState(): {
      currentTestName?: string;
      assertionCalls: number;
      expectedAssertionsNumber?: number | null;
      isExpectingAssertions: boolean;
    };
  };
  export function afterAll(run: () => Promise<void>): void;
  export function afterEach(run: () => Promise<void>): void;
  export const test: Register & { only: Register; skip: Register; failing: Register; concurrent: Register };
}
