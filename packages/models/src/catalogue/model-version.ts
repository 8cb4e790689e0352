/** Reads family and version from a model's name, sorts models newest first, and finds models of older generations. */

import { removePreviewSuffix } from "./model-facts.ts";

/** What a model's name says about its family and version. */
export interface ModelVersion {
  /** The first word of the name, without a number: `claude`, `gpt`. */
  readonly brand: string;
  /** The name without the version: `claude-sonnet` for `claude-sonnet-4-5` and for `claude-3-5-sonnet`. */
  readonly family: string;
  /** `[4, 5]`. Empty if the name has no version. */
  readonly version: readonly number[];
  /** Whether the name ends in a date, as in `claude-sonnet-4-5-20250929` and `devstral-2512`. */
  readonly isDated: boolean;
  /** Whether it is a special offer of another model, as in `gpt-5:batch`. */
  readonly isVariant: boolean;
}

/** Reads family and version from a name. Names are all there is to tell generations apart: the snapshot has no release dates. */
export function parseModelVersion(id: string): ModelVersion {
  const name = removePreviewSuffix(id)
    .replace(/^~/, "")
    .replace(/-\d\d-20\d\d$/, "");
  const tokens = name.split(/[-_@ ]+/).filter((token) => !/^\d{4,}$/.test(token));
  const start = tokens.findIndex((token) => !SIZE.test(token) && VERSION.test(token));
  const [, prefix = "", major, minor, suffix = ""] = VERSION.exec(tokens[start] ?? "") ?? [];
  const followers = start < 0 ? [] : takeNumbers(tokens.slice(start + 1));
  const version = start < 0 ? [] : [major, minor, ...followers].filter((part) => part !== undefined).map(Number);
  const words =
    start < 0 ? tokens : [...tokens.slice(0, start), prefix + suffix, ...tokens.slice(start + 1 + followers.length)];
  return {
    brand: /^[a-z]*/.exec(tokens[0] ?? "")?.[0] ?? "",
    family: words.filter((word) => word !== "").join("-"),
    version,
    isDated: DATE.test(id.replace(/(?:-v\d+)?(?::.*)?$/, "")),
    isVariant: /:[a-z]|^~|\/routers\//i.test(id),
  };
}

/** `4`, `k2`, `v3`, `4o`, `5p3`: at most two digits, since more are a date. */
const VERSION = /^([a-z]*)(\d{1,2})(?:p(\d{1,2}))?([a-z]*)$/;
/** `120b`, `a22b`, `8x7b`, `32k`: parameters or a window, part of the family. */
const SIZE = /^[a-z]?(?:\d+x)?\d+(?:p\d+)?[bkt]$/;
const DATE = /-(?:20\d\d-?\d\d-?\d\d|\d{4}|\d\d-20\d\d)$/;

function takeNumbers(tokens: readonly string[]): readonly string[] {
  const end = tokens.findIndex((token) => !/^\d{1,2}$/.test(token));
  return end < 0 ? tokens : tokens.slice(0, end);
}

/** Compares versions for sorting: negative if `one` is the newer one. Names without a version come last. */
export function compareVersions(one: readonly number[], other: readonly number[]): number {
  if (one.length === 0 || other.length === 0) return other.length - one.length;
  for (let index = 0; index < Math.max(one.length, other.length); index += 1) {
    const difference = (other[index] ?? 0) - (one[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Sorts the models of one provider: the brand of its default model first, newest version first, names without a date before
 * names with one.
 */
export function sortNewestFirst(ids: readonly string[], defaultModel: string | null = null): readonly string[] {
  const defaultBrand = defaultModel === null ? null : parseModelVersion(defaultModel).brand;
  return ids
    .map((id) => ({ id, isDefault: id === defaultModel, ...parseModelVersion(id) }))
    .toSorted(
      (one, other) =>
        Number(other.brand === defaultBrand) - Number(one.brand === defaultBrand) ||
        one.brand.localeCompare(other.brand, "en") ||
        compareVersions(one.version, other.version) ||
        Number(one.isVariant) - Number(other.isVariant) ||
        Number(one.isDated) - Number(other.isDated) ||
        Number(other.isDefault) - Number(one.isDefault) ||
        one.id.length - other.id.length ||
        (one.id < other.id ? -1 : 1),
    )
    .map(({ id }) => id);
}

/**
 * Finds the models that a newer one replaces: their family has a newer version, the newest model of their brand is two
 * generations ahead, or they are a dated name or a variant of a listed model.
 */
export function findOlderModels(ids: readonly string[]): ReadonlySet<string> {
  const models = ids.map((id) => ({ id, ...parseModelVersion(id) }));
  const families = Map.groupBy(models, ({ family }) => family);
  const newestMajors = new Map(
    [...Map.groupBy(models, ({ brand }) => brand)].map(([brand, members]) => [
      brand,
      Math.max(0, ...members.map(({ version: [major = 0] }) => major)),
    ]),
  );
  const isOlder = (model: (typeof models)[number]): boolean => {
    const { brand, family, version, isDated, isVariant } = model;
    const others = (families.get(family) ?? []).filter((other) => other !== model);
    if (version.length > 0 && (newestMajors.get(brand) ?? 0) - (version[0] ?? 0) >= 2) return true;
    return others.some(
      (other) =>
        (version.length > 0 && compareVersions(other.version, version) < 0) ||
        (compareVersions(other.version, version) === 0 &&
          ((isDated && !other.isDated) || (isVariant && !other.isVariant))),
    );
  };
  return new Set(models.filter(isOlder).map(({ id }) => id));
}
