/** Where each line of a file stands in its copy: one pair of places for every change of the distance between the two. */

export class Shifts {
  readonly #from: number[] = [];
  readonly #by: number[] = [];

  /** A line that begins here in the file begins there in the copy; told in file order. */
  add(from: number, to: number): void {
    if (this.#by.at(-1) === to - from) return;
    this.#from.push(from);
    this.#by.push(to - from);
  }

  /** Where a line that began here begins now; what lies before the first line stays. */
  at(from: number): number {
    let [low, high] = [0, this.#from.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#from[middle] ?? 0) <= from) low = middle + 1;
      else high = middle;
    }
    return from + (this.#by[low - 1] ?? 0);
  }
}
