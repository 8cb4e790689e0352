/** Reads the generated snapshot and a few hand-checked models, one provider at a time and only on demand. */

import type { SnapshotData, SnapshotRow } from "./build-snapshot.ts";
import type { ModelFacts, Prices } from "./model-facts.ts";
import { snapshotData } from "./snapshot-data.ts";

const SONNET = [3, 15, 0.3, 3.75] as const;
const OPUS = [15, 75, 1.5, 18.75] as const;
const GROK_FAST = [0.2, 0.5, 0.05, 0] as const;

/**
 * Models by maker that the generated snapshot lacks because they are retired or listed only under an alias. Without these rows
 * they would get the default window. The snapshot overrides them. The figures are those the makers published, as far as known.
 * Other providers find them by name, without the price.
 */
export const handCheckedRows: Readonly<Record<string, readonly SnapshotRow[]>> = {
  anthropic: [
    ["claude-3-haiku-20240307", 200_000, 4_096, 1, 0.25, 1.25, 0.03, 0.3],
    ["claude-3-opus-20240229", 200_000, 4_096, 1, ...OPUS],
    ["claude-3-5-haiku-20241022", 200_000, 8_192, 1, 0.8, 4, 0.08, 1],
    ["claude-3-5-sonnet-20241022", 200_000, 8_192, 1, ...SONNET],
    ["claude-3-7-sonnet-20250219", 200_000, 64_000, 3, ...SONNET],
    ["claude-opus-4-20250514", 200_000, 32_000, 3, ...OPUS],
    ["claude-opus-4-0", 200_000, 32_000, 3, ...OPUS],
    ["claude-sonnet-4-20250514", 200_000, 64_000, 3, ...SONNET],
    ["claude-sonnet-4-0", 200_000, 64_000, 3, ...SONNET],
  ],
  google: [
    ["gemini-1.5-flash", 1_048_576, 8_192, 1],
    ["gemini-1.5-pro", 1_048_576, 8_192, 1],
    ["gemini-2.0-flash", 1_048_576, 8_192, 1, 0.1, 0.4, 0.025, 0],
    ["gemini-2.0-flash-lite", 1_048_576, 8_192, 1, 0.075, 0.3, 0, 0],
    ["gemini-3-pro-preview", 1_048_576, 65_536, 3, 2, 12, 0.2, 0],
  ],
  openai: [
    // The numbers are months and days. gpt-4 itself has a window of 8,192 tokens.
    ["gpt-4-0125-preview", 128_000, 4_096, 0, 10, 30, 0, 0],
    ["gpt-4-1106-preview", 128_000, 4_096, 0, 10, 30, 0, 0],
    ["gpt-4-turbo-preview", 128_000, 4_096, 0, 10, 30, 0, 0],
    ["gpt-4-32k", 32_768, 32_768, 0, 60, 120, 0, 0],
    ["o1-mini", 128_000, 65_536, 2],
    // Unlike o1: a smaller window, shorter replies, no images.
    ["o1-preview", 128_000, 32_768, 2, 15, 60, 7.5, 0],
  ],
  xai: [
    ["grok-3", 131_072, 8_192, 0, 3, 15, 0.75, 0],
    ["grok-4", 256_000, 64_000, 3, 3, 15, 0.75, 0],
    ["grok-4-fast", 2_000_000, 30_000, 3, ...GROK_FAST],
    ["grok-4-fast-reasoning", 2_000_000, 30_000, 3, ...GROK_FAST],
    ["grok-4-fast-non-reasoning", 2_000_000, 30_000, 1, ...GROK_FAST],
    ["grok-code-fast-1", 256_000, 10_000, 2, 0.2, 1.5, 0.02, 0],
  ],
};

function toModelFacts([, contextWindow, maxTokens, flags, ...priceFigures]: SnapshotRow): ModelFacts {
  const limits = { contextWindow, maxTokens };
  const inputField = { input: (flags & 1) === 1 ? (["text", "image"] as const) : (["text"] as const) };
  const facts: ModelFacts = { ...limits, ...inputField, reasoning: (flags & 2) === 2 };
  return priceFigures.length === 4 ? { ...facts, prices: toPrices(priceFigures) } : facts;
}

// Without a cache price, cached tokens cost as much as input.
function toPrices([input = 0, output = 0, cacheRead = 0, cacheWrite = 0]: readonly number[]): Prices {
  return { input, output, cacheRead: cacheRead || input, cacheWrite: cacheWrite || input };
}

export interface Snapshot {
  /** The day of its data. */
  readonly date: string;
  readonly providers: readonly string[];
  /** The models of a provider with known facts, retired ones included; none for an unknown provider. */
  ids(provider: string): Iterable<string>;
  /** The models that a provider offers. */
  offeredIds(provider: string): readonly string[];
  /** Undefined if the provider has none. */
  defaultModel(provider: string): string | undefined;
  facts(provider: string, id: string): ModelFacts | undefined;
}

const builtInRows = (provider: string): readonly SnapshotRow[] =>
  JSON.parse(ownValue(snapshotData.rows, provider) ?? "[]");

/** The snapshot that ships with Pith. */
export const snapshot: Snapshot = createSnapshot({ ...snapshotData, readRows: builtInRows });

/** Creates a snapshot from newer data. Providers that the data lacks keep their models of the built-in snapshot. */
export function createUpdatedSnapshot({ date, defaults, rows }: SnapshotData<readonly SnapshotRow[]>): Snapshot {
  return createSnapshot({
    date,
    defaults: { ...snapshotData.defaults, ...defaults },
    rows: { ...snapshotData.rows, ...rows },
    readRows: (provider) => ownValue(rows, provider) ?? builtInRows(provider),
  });
}

interface SnapshotSource extends SnapshotData<unknown> {
  readonly readRows: (provider: string) => readonly SnapshotRow[];
}

function createSnapshot({ date, defaults, rows, readRows }: SnapshotSource): Snapshot {
  const cachedRows = new Map<string, ReadonlyMap<string, SnapshotRow>>();
  const loadRows = (provider: string): ReadonlyMap<string, SnapshotRow> => {
    const cached = cachedRows.get(provider);
    if (cached) return cached;
    const allRows = [...(ownValue(handCheckedRows, provider) ?? []), ...readRows(provider)];
    const rowsById = new Map(allRows.map((row) => [row[0], row]));
    if (Object.hasOwn(rows, provider)) cachedRows.set(provider, rowsById);
    return rowsById;
  };
  return {
    date,
    providers: Object.keys(rows),
    ids: (provider) => loadRows(provider).keys(),
    offeredIds: (provider) => readRows(provider).map(([id]) => id),
    defaultModel: (provider) => ownValue(defaults, provider),
    facts(provider, id) {
      const row = loadRows(provider).get(id);
      return row && toModelFacts(row);
    },
  };
}

/** Ignores inherited properties: `constructor` is not a provider. */
function ownValue<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
