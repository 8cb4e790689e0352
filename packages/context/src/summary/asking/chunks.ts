/** A list in groups that each have room: nothing is left out, nothing is parted, the order stays. */

export interface Sized {
  readonly tokens: number;
}

/** What is bigger than the room by itself is a group of its own. */
export function chunksOf<Each extends Sized>(list: readonly Each[], room: number): readonly (readonly Each[])[] {
  const chunks: Each[][] = [];
  let left = 0;
  for (const each of list) {
    const last = chunks.at(-1);
    if (last && each.tokens <= left) last.push(each);
    else chunks.push([each]);
    left = (last && each.tokens <= left ? left : room) - each.tokens;
  }
  return chunks;
}

export function tokensOf(list: readonly Sized[]): number {
  return list.reduce((sum, { tokens }) => sum + tokens, 0);
}
