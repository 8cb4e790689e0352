/** No tool shows more than this, however much room there is: what is longer is paged, narrowed down, or kept beside the session (B7). */

export interface OutputLimit {
  readonly lines: number;
  readonly bytes: number;
}

export const outputLimit: OutputLimit = { lines: 2_000, bytes: 50 * 1024 };

/** How many of the first lines fit into so many bytes, each with its line end. */
export function countWithin(lines: readonly string[], bytes: number): number {
  let size = 0;
  const over = lines.findIndex((line) => {
    size += Buffer.byteLength(line) + 1;
    return size > bytes;
  });
  return over < 0 ? lines.length : over;
}
