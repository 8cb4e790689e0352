/** The generated snapshot and the few models checked by hand, read one provider at a time and only when it is asked for. */

import type { ModelFacts } from "./facts.ts";
import { handChecked } from "./hand-checked.ts";
import { snapshotDate, snapshotRows } from "./snapshot-data.ts";
import { type Row, rowFacts } from "./snapshot-row.ts";

export interface Snapshot {
  /** The day its data was gathered. */
  readonly date: string;
  readonly providers: readonly string[];
  /** The models a provider sells; none for one it does not know. */
  ids(provider: string): Iterable<string>;
  facts(provider: string, id: string): ModelFacts | undefined;
}

const parsed = new Map<string, ReadonlyMap<string, Row>>();

export const snapshot: Snapshot = {
  date: snapshotDate,
  providers: Object.keys(snapshotRows),
  ids: (provider) => rows(provider).keys(),
  facts(provider, id) {
    const row = rows(provider).get(id);
    return row && rowFacts(row);
  },
};

function rows(provider: string): ReadonlyMap<string, Row> {
  const already = parsed.get(provider);
  if (already) return already;
  const text = own(snapshotRows, provider);
  const list = JSON.parse(text ?? "[]") as readonly Row[];
  const fresh = new Map([...(own(handChecked, provider) ?? []), ...list].map((row) => [row[0], row]));
  if (text) parsed.set(provider, fresh);
  return fresh;
}

/** `constructor` is no provider, though every object has one. */
function own<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
