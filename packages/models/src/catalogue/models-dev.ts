/** Parses the list of models of models.dev (`api.json`) as the data of a snapshot. */

import { isRecord, tryParseJson } from "../json.ts";
import {
  chooseDefaultModels,
  createSnapshotRows,
  type ListedModel,
  type SnapshotData,
  type SnapshotRow,
} from "./build-snapshot.ts";
import { normalizeProviderName } from "./model-facts.ts";
import { snapshot } from "./snapshot.ts";

/** The parsed list, or why it is not one. */
export type ModelListResult =
  | {
      readonly type: "parsed";
      readonly data: SnapshotData<readonly SnapshotRow[]>;
      readonly models: number;
      /** Models that were left out because a number is missing or implausible. */
      readonly skipped: number;
    }
  | { readonly type: "invalid"; readonly message: string };

/**
 * Parses the list of models.dev. Keeps the providers that Pith knows, and their models that write text and can call tools. The date is the newest one in the
 * data, `today` at the latest.
 *
 * @example
 * const result = parseModelList(await readFile("api.json", "utf8"), "2026-11-17");
 */
export function parseModelList(text: string, today: string): ModelListResult {
  const list = tryParseJson(text);
  if (!isRecord(list)) return invalid("it is not a JSON object");
  const known = Object.entries(list).flatMap(([name, provider]) => {
    const id = normalizeProviderName(name);
    const models = isRecord(provider) && isRecord(provider.models) ? Object.entries(provider.models) : [];
    return snapshot.providers.includes(id) ? [{ id, models }] : [];
  });
  const usable = known.map(({ id, models }) => ({
    id,
    candidates: models.filter(([, model]) => isRecord(model) && writesText(model) && model.tool_call !== false),
  }));
  const parsed = usable.map(({ id, candidates }) => ({
    id,
    candidates,
    models: candidates.flatMap(([key, model]) => parseModel(key, Object(model)) ?? []),
  }));
  const models = parsed.reduce((sum, provider) => sum + provider.models.length, 0);
  if (models === 0)
    return invalid('it contains no models from a known provider; expected { "anthropic": { "models": { … } } }');
  const rows = Object.fromEntries(
    parsed.filter((provider) => provider.models.length > 0).map((each) => [each.id, createSnapshotRows(each.models)]),
  );
  const date = findNewestDate(
    parsed.flatMap(({ candidates }) => candidates.map(([, model]) => model)),
    today,
  );
  if (date === null) return invalid("no model has a release_date or last_updated, so its age is unknown");
  const candidates = parsed.reduce((sum, provider) => sum + provider.candidates.length, 0);
  return {
    type: "parsed",
    data: { date, defaults: chooseDefaultModels(rows), rows },
    models,
    skipped: candidates - models,
  };
}

function invalid(message: string): ModelListResult {
  return { type: "invalid", message };
}

type ModelEntry = Readonly<Record<string, unknown>>;

function writesText({ modalities }: ModelEntry): boolean {
  const { output } = Object(modalities) as { readonly output?: unknown };
  return !Array.isArray(output) || output.includes("text");
}

/** Null if a number is missing or implausible. */
function parseModel(key: string, model: ModelEntry): ListedModel | null {
  const { context, output } = Object(model.limit) as { readonly context?: unknown; readonly output?: unknown };
  const { input } = Object(model.modalities) as { readonly input?: unknown };
  const id = typeof model.id === "string" ? model.id : key;
  const prices = parsePrices(Object(model.cost));
  if (!isTokenCount(context) || !isTokenCount(output) || !MODEL_ID.test(id) || prices === null) return null;
  if (context < MIN_CONTEXT_TOKENS) return null;
  return {
    id,
    contextWindow: context,
    maxTokens: output,
    hasImages: Array.isArray(input) && input.includes("image"),
    reasoning: model.reasoning === true,
    prices,
  };
}

const MODEL_ID = /^[!-~]{1,200}$/;
const MIN_CONTEXT_TOKENS = 1_024;
const MAX_CONTEXT_TOKENS = 100_000_000;
const MAX_PRICE = 100_000;

function isTokenCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value <= MAX_CONTEXT_TOKENS;
}

/** A missing price is zero. Null if a price is not a number of dollars. */
function parsePrices(cost: ModelEntry): readonly number[] | null {
  const prices = [cost.input, cost.output, cost.cache_read, cost.cache_write].map((price) => price ?? 0);
  return prices.every(isPrice) ? prices : null;
}

function isPrice(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= MAX_PRICE;
}

function findNewestDate(models: readonly unknown[], today: string): string | null {
  const dates = models
    .flatMap((model) => [Object(model).last_updated, Object(model).release_date])
    .filter((date) => typeof date === "string" && /^20\d\d-\d\d-\d\d$/.test(date) && date <= today);
  return dates.sort().at(-1) ?? null;
}
