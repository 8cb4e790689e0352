/** Resolves a short model name, such as `sonnet` or `gemini pro`, to a model of a provider that the user has a key for. */

import { type Catalogue, compareVersions, parseModelVersion, providers, sortNewestFirst } from "@pith/models";
import { getModelRefusal, type Policy } from "../policy/policy.ts";
import type { KeySources } from "../settings/provider-keys.ts";
import { editDistance, type UsageError, usageError } from "../text/usage-error.ts";
import { listProvidersWithKey } from "./available-models.ts";

export interface ResolveModelOptions extends KeySources {
  readonly catalogue: Catalogue;
  readonly policy: Policy | undefined;
  /** The provider whose models are preferred, such as that of the current model. */
  readonly preferredProvider: string | undefined;
}

export type ResolvedModel =
  | { readonly type: "named"; readonly name: string }
  /** No provider has a key, so no model can match. */
  | { readonly type: "no-key" }
  | UsageError;

/**
 * Returns the best match as `provider/model`: a name that is equal, then one that contains every word, then one in which a
 * word begins with each of them. Among those, the preferred provider comes first, then the order of the providers, then the newest version.
 */
export async function resolveModelName(query: string, options: ResolveModelOptions): Promise<ResolvedModel> {
  const [providerId = "", ...rest] = query.split("/");
  const namedProvider = rest.length > 0 ? providers.find(({ id }) => id === providerId) : undefined;
  const searched = namedProvider ? [namedProvider.id] : await orderProviders(options);
  if (searched.length === 0) return rest.length > 0 ? { type: "named", name: query } : { type: "no-key" };
  const candidates = searched.flatMap((provider) => listCandidates(provider, options));
  const matches = rankMatches(namedProvider ? rest.join("/") : query, candidates);
  const allowed = matches.find(({ name }) => getModelRefusal(options.policy, name) === null);
  if (allowed) return { type: "named", name: allowed.name };
  const [refused] = matches;
  if (refused) return usageError(getModelRefusal(options.policy, refused.name) ?? "");
  // A full name that the catalogue does not know: the provider may know it. If the provider is unknown, opening the model says so.
  if (rest.length > 0) return { type: "named", name: query };
  return usageError(describeNoMatch(query, candidates));
}

async function orderProviders({ preferredProvider, ...keySources }: ResolveModelOptions): Promise<readonly string[]> {
  const withKey = await listProvidersWithKey(keySources);
  return withKey.map(({ id }) => id).toSorted((one, other) => rank(one) - rank(other));
  function rank(id: string): number {
    return id === preferredProvider ? 0 : 1;
  }
}

interface Candidate {
  /** As `provider/model`. */
  readonly name: string;
  readonly model: string;
  /** The name in the form in which words are compared. */
  readonly words: string;
}

/** Newest first. */
function listCandidates(provider: string, { catalogue }: ResolveModelOptions): readonly Candidate[] {
  const models = sortNewestFirst(catalogue.listModels(provider), catalogue.defaultModel(provider));
  return models.map((model) => ({
    name: `${provider}/${model}`,
    model,
    words: normalizeWords(`${provider}/${model}`),
  }));
}

/** `GPT5.4` and `gpt-5-4` are the same, and so are `glm-5p3` and `glm 5.3`. */
function normalizeWords(text: string): string {
  return text
    .slice(0, MAX_NAME_CHARS)
    .toLowerCase()
    .replaceAll(/(\d)p(?=\d)/g, "$1-")
    .replaceAll(/([a-z]{2})(?=\d)/g, "$1-")
    .replaceAll(/[._\s]+/g, "-");
}

const MAX_NAME_CHARS = 200;

/** Sorts stably, so that candidates that match equally well keep their order. */
function rankMatches(query: string, candidates: readonly Candidate[]): readonly Candidate[] {
  const words = query
    .trim()
    .split(/[\s/]+/)
    .map(normalizeWords);
  const wanted = parseModelVersion(words.join("-")).version;
  const hasWantedVersion = ({ model }: Candidate): boolean =>
    wanted.length > 0 && compareVersions(parseModelVersion(model).version, wanted) === 0;
  const providerIndexes = new Map<string, number>();
  for (const { name } of candidates) {
    const provider = name.split("/")[0] ?? "";
    if (!providerIndexes.has(provider)) providerIndexes.set(provider, providerIndexes.size);
  }
  return candidates
    .map((candidate) => ({
      candidate,
      quality: rateMatch(words, candidate),
      provider: providerIndexes.get(candidate.name.split("/")[0] ?? "") ?? 0,
    }))
    .filter(({ quality }) => quality !== null)
    .toSorted(
      (one, other) =>
        (one.quality ?? 0) - (other.quality ?? 0) ||
        one.provider - other.provider ||
        Number(hasWantedVersion(other.candidate)) - Number(hasWantedVersion(one.candidate)),
    )
    .map(({ candidate }) => candidate);
}

/** 0 for an equal name, 1 if the name contains every word, 2 if a word only begins one of the name. Null if a word is missing. */
function rateMatch(words: readonly string[], { words: name, model }: Candidate): 0 | 1 | 2 | null {
  const joined = words.join("-");
  if ([model, model.split("/").at(-1) ?? ""].some((full) => normalizeWords(full) === joined)) return 0;
  const places = words.map((word) => findWord(word, name));
  if (places.includes("none")) return null;
  return places.includes("start") ? 2 : 1;
}

function findWord(word: string, name: string): "whole" | "start" | "none" {
  const bounded = `-${name.replaceAll(/[/~:@]/g, "-")}-`;
  if (bounded.includes(`-${word}-`)) return "whole";
  return word !== "" && bounded.includes(`-${word}`) ? "start" : "none";
}

function describeNoMatch(query: string, candidates: readonly Candidate[]): string {
  const wanted = normalizeWords(query).slice(0, MAX_COMPARED_CHARS);
  const closest = candidates
    .map((candidate) => ({ ...candidate, distance: measureDistance(wanted, candidate.model) }))
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, 3)
    .map(({ name }) => name);
  return `no model matches "${query}"; the closest are ${closest.join(", ")}. Run pith models to list all, or name one as provider/model`;
}

const MAX_COMPARED_CHARS = 64;

function measureDistance(wanted: string, model: string): number {
  const { family } = parseModelVersion(model);
  const names = [normalizeWords(model.split("/").at(-1) ?? ""), family, ...family.split("-")];
  return Math.min(...names.map((name) => editDistance(wanted, name)));
}
