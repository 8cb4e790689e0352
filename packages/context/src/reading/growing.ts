/** A fold over a list that mostly grows at its end: it goes on where it stood when the list begins with the very same items. */

export interface Fold<Item extends object, State, Setting> {
  start(setting: Setting): State;
  /** May change the state in place; nobody else holds it. */
  take(state: State, item: Item): void;
  isSame(one: Setting, other: Setting): boolean;
}

/**
 * From the outside a pure function of items and setting. Items are immutable, so the same object means the same content, and
 * looking at pointers alone spares a walk through memory that is cold by the time of the next request.
 */
export function growing<Item extends object, State, Setting>(
  fold: Fold<Item, State, Setting>,
): (items: readonly Item[], setting: Setting) => State {
  const underWay = new WeakMap<Item, Progress<Item, State, Setting>>();
  return (items, setting) => {
    const [first] = items;
    if (!first) return fold.start(setting);
    const before = underWay.get(first);
    const goesOn = before && fold.isSame(before.setting, setting) && isBeginningOf(before.taken, items);
    const progress = goesOn ? before : { setting, taken: [], state: fold.start(setting) };
    // Whatever throws in the middle leaves a state that nobody goes on with.
    underWay.delete(first);
    for (const item of items.slice(progress.taken.length)) {
      fold.take(progress.state, item);
      progress.taken.push(item);
    }
    underWay.set(first, progress);
    return progress.state;
  };
}

interface Progress<Item, State, Setting> {
  readonly setting: Setting;
  readonly taken: Item[];
  readonly state: State;
}

function isBeginningOf(taken: readonly unknown[], items: readonly unknown[]): boolean {
  if (taken.length > items.length) return false;
  for (let at = 0; at < taken.length; at++) if (taken[at] !== items[at]) return false;
  return true;
}
