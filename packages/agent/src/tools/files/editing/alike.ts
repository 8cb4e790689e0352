/** How much two texts, or two lists of lines, begin and end with alike. */

export interface Alike {
  readonly head: number;
  readonly tail: number;
}

/** Nothing is counted twice: in the shorter one, head and tail do not overlap. */
export function alike(one: ArrayLike<string>, other: ArrayLike<string>): Alike {
  const most = Math.min(one.length, other.length);
  let head = 0;
  while (head < most && one[head] === other[head]) head++;
  let tail = 0;
  while (tail < most - head && one[one.length - 1 - tail] === other[other.length - 1 - tail]) tail++;
  return { head, tail };
}
