/** The first few of many by some order, without keeping the many. */

export class FirstFew<Each> {
  readonly #most: number;
  readonly #order: (one: Each, other: Each) => number;
  #kept: Each[] = [];
  #count = 0;

  constructor(most: number, order: (one: Each, other: Each) => number) {
    this.#most = most;
    this.#order = order;
  }

  add(one: Each): void {
    this.#count += 1;
    this.#kept.push(one);
    if (this.#kept.length >= 2 * this.#most + SPARE) this.#prune();
  }

  taken(): { readonly found: readonly Each[]; readonly isAll: boolean } {
    this.#prune();
    return { found: this.#kept, isAll: this.#count <= this.#most };
  }

  #prune(): void {
    this.#kept = this.#kept.sort(this.#order).slice(0, this.#most);
  }
}

const SPARE = 1_000;

/** Letter by letter, whatever language they are of: the same on every machine. */
export function byName(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
