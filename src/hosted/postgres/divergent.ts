// After a change of the server that is the primary: which worlds of this node it does not have as they are in memory.
import type { Query } from "./connection.ts";
import type { HeldWorld } from "./held-world.ts";

export async function divergent(query: Query, node: string, held: Iterable<HeldWorld>): Promise<HeldWorld[]> {
  const expected = Array.from(held, (world) => ({ world, written: world.written }));
  const { rows } = await query<{ id: string; epoch: string; seq: string }>(
    `select w.id, w.epoch, greatest(
       (select max(j.seq) from journal j where j.world = w.id),
       (select s.seq from snapshots s where s.world = w.id and s.name = ''), 0) as seq
     from worlds w where w.owner = $1`,
    [node],
  );
  const there = new Map(rows.map(({ id, epoch, seq }) => [id, { epoch: Number(epoch), seq: Number(seq) }]));
  return expected
    .filter(({ world: { id, epoch }, written }) => {
      const found = there.get(id);
      return epoch > 0 && !(found?.epoch === epoch && found.seq >= written);
    })
    .map(({ world }) => world);
}
