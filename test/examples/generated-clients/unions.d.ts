export const unions: Record<string, Record<string, { accepted: unknown[]; refused: unknown[] }>>;
