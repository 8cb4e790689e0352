/** Caches what is computed once or from immutable objects: a value per object, and the fold of a list that mostly grows at its end. */

/** Returns the cached value of an object, or computes and caches it. */
export function getOrCompute<Key extends object, Value extends NonNullable<unknown> | null>(
  cache: WeakMap<Key, Value>,
  key: Key,
  compute: () => Value,
): Value {
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const value = compute();
  cache.set(key, value);
  return value;
}

/** Wraps a function so that it runs once, on the first call. */
export function memoize<Value>(compute: () => Value): () => Value {
  let cached: { readonly value: Value } | null = null;
  return () => {
    cached ??= { value: compute() };
    return cached.value;
  };
}

/**
 * Creates a pure function of items and setting that continues its previous fold if the list starts with the same items. Items are
 * immutable, so they are compared by identity, which does not read their content.
 */
export function createIncrementalFold<Item extends object, State, Setting>(
  fold: IncrementalFold<Item, State, Setting>,
): (items: readonly Item[], setting: Setting) => State {
  const progressByFirstItem = new WeakMap<Item, FoldProgress<Item, State, Setting>>();
  return (items, setting) => {
    const [first] = items;
    if (!first) return fold.start(setting);
    const previous = progressByFirstItem.get(first);
    const canContinue = previous && fold.isSame(previous.setting, setting) && isPrefix(previous.items, items);
    const progress = canContinue ? previous : { setting, items: [], state: fold.start(setting) };
    // If `add` throws, the partial state is dropped.
    progressByFirstItem.delete(first);
    for (const item of items.slice(progress.items.length)) {
      fold.add(progress.state, item);
      progress.items.push(item);
    }
    progressByFirstItem.set(first, progress);
    return progress.state;
  };
}

/** The steps of a fold. */
export interface IncrementalFold<Item extends object, State, Setting> {
  start(setting: Setting): State;
  /** May change the state in place. */
  add(state: State, item: Item): void;
  isSame(one: Setting, other: Setting): boolean;
}

interface FoldProgress<Item, State, Setting> {
  readonly setting: Setting;
  readonly items: Item[];
  readonly state: State;
}

function isPrefix(prefix: readonly unknown[], items: readonly unknown[]): boolean {
  if (prefix.length > items.length) return false;
  for (let index = 0; index < prefix.length; index++) if (prefix[index] !== items[index]) return false;
  return true;
}
