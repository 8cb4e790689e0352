/** How much of a ledger is shown, and in which order it is given up when there is no room for all of it. */

/** Of each the newest part, from 0 to 1. */
export interface Shares {
  /** Files by their names; the others of them are rolled up. */
  readonly read: number;
  readonly modified: number;
  readonly folders: number;
  /** Commands, errors, and all else. */
  readonly others: number;
}

/** From everything to nothing, a sixteenth at a time. */
export function* shrinking(): Generator<Shares> {
  let shares: Shares = { read: 1, modified: 1, folders: 1, others: 1 };
  yield shares;
  for (const [what, least] of ORDER)
    while (shares[what] > least) {
      shares = { ...shares, [what]: shares[what] - STEP };
      yield shares;
    }
}

const STEP = 1 / 16;

/** Read files are rolled up first. Of the newest, each kind keeps some until there is room for folders alone. */
const ORDER: readonly (readonly [keyof Shares, number])[] = [
  ["read", 0],
  ["modified", 1 / 2],
  ["others", 1 / 4],
  ["modified", 1 / 8],
  ["others", 1 / 16],
  ["modified", 0],
  ["others", 0],
  ["folders", 0],
];

export function newestShare<Item>(items: readonly Item[], share: number): readonly Item[] {
  return items.slice(items.length - Math.ceil(items.length * share));
}
