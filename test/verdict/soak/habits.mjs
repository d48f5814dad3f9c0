// The styles of the mirror, all careful, and ten ways to be careless in one thing.
export const styles = {
  /** A receiver, and all is read each night. */
  hooks: {},
  /** No receiver: all is read again and again. */
  pull: { receives: false },
};
