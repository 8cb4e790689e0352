/** Which rows follow which: two numbers a row, so that the children of one are found without looking at all others. */

export interface ParentRows {
  readonly rows: number;
  /** The row of a row's parent, -1 for none. */
  parent(row: number): number;
}

export class ChildRows {
  /** By parent, one further on, since -1 has children, too; rows are kept one higher, so that 0 means none. */
  #first: Int32Array = new Int32Array(1);
  #next: Int32Array = new Int32Array(0);
  #covers = 0;

  /** In file order. */
  of(parent: number, index: ParentRows): number[] {
    if (index.rows - this.#covers > AT_MOST_BEHIND) this.#cover(index);
    const found: number[] = [];
    for (let row = this.#first[parent + 1] ?? 0; row !== 0; row = this.#next[row - 1] ?? 0) found.push(row - 1);
    for (let row = this.#covers; row < index.rows; row++) if (index.parent(row) === parent) found.push(row);
    return found;
  }

  #cover(index: ParentRows): void {
    this.#first = new Int32Array(index.rows + 1);
    this.#next = new Int32Array(index.rows);
    this.#covers = index.rows;
    for (let row = index.rows - 1; row >= 0; row--) {
      const parent = index.parent(row) + 1;
      this.#next[row] = this.#first[parent] ?? 0;
      this.#first[parent] = row + 1;
    }
  }
}

/** Rows that are looked at one by one: a session that grows is not gone through anew for each line. */
const AT_MOST_BEHIND = 256;
