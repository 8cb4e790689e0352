/** Chooses and opens models: the one that was asked for, or the first provider with a key. */

import { join } from "node:path";
import {
  createFileWindowStore,
  type Environment,
  type OpenModelResult,
  openModel,
  type Provider,
  providers,
} from "@pith/models";
import { type Policy, refuseBaseUrl, refuseModel } from "../policy/policy.ts";
import { type KeyPlaces, keyFile, keyFor, providerWithKey, readKeyFile } from "../settings/keys.ts";
import type { Settings } from "../settings/settings.ts";
import { type Mistake, mistake } from "../text/usage-error.ts";

/** The default model of each provider, by the provider's id. */
export const usualModels: Readonly<Record<string, string>> = {
  anthropic: "claude-sonnet-4-5",
  openai: "gpt-5.1",
  google: "gemini-2.5-pro",
  openrouter: "anthropic/claude-sonnet-4.5",
  xai: "grok-4.7",
  groq: "openai/gpt-oss-120b",
  cerebras: "gpt-oss-120b",
  mistral: "devstral-latest",
  deepseek: "deepseek-v4-pro",
  together: "zai-org/GLM-5.3",
  fireworks: "accounts/fireworks/models/glm-5p3",
  moonshotai: "kimi-k3",
  zai: "glm-5.3",
};

export type ChosenModel = OpenModelResult | Mistake;

export interface Asking extends KeyPlaces {
  /** Of the session that will be worked in, so that its requests find each other's cache. */
  readonly sessionId: string;
  /** Who spoke in it last, as `provider/model`. */
  readonly spoke?: string | undefined;
}

export async function chooseModel(
  { model, baseUrl, contextWindow, firstTokenMinutes, policy }: Settings,
  { sessionId, spoke, ...places }: Asking,
): Promise<ChosenModel> {
  const name = model ?? spoke;
  const wanted = name === undefined ? await byKey(places, policy) : ({ type: "named", name } as const);
  if (wanted.type === "mistake") return wanted;
  const [id = "", ...rest] = wanted.name.split("/");
  const provider = providers.find((each) => each.id === id);
  const refusal = refuseModel(policy, wanted.name) ?? refuseAddress({ baseUrl, provider, places }, policy);
  const isFromSession = model === undefined && spoke !== undefined;
  if (refusal !== null)
    return mistake(isFromSession ? `${refusal} This session used it; name another with --model.` : refusal);
  const key = provider ? await keyFor(provider, places) : ({ type: "found" } as const);
  if (key.type === "mistake") return key;
  const wish = {
    provider: id,
    model: rest.join("/"),
    cacheKey: sessionId,
    ...(key.apiKey !== undefined && { apiKey: key.apiKey }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(contextWindow !== undefined && { contextWindow }),
  };
  const windows = createFileWindowStore(join(places.home, "windows.json"));
  const patience = firstTokenMinutes === undefined ? {} : { firstTokenTimeoutMs: firstTokenMinutes * 60_000 };
  const opened = await openModel(wish, {
    environment: places.environment,
    windowStore: windows,
    requestPolicy: patience,
  });
  if (opened.type === "opened") return opened;
  const why = opened.type === "no-key" ? `${id} needs a key: ${howToSet(id, places)}` : opened.message;
  return mistake(isFromSession ? `this session spoke with ${spoke}; ${why}, or name another model with --model` : why);
}

interface Reaching {
  readonly baseUrl: string | undefined;
  readonly provider: Provider | undefined;
  readonly places: Pick<KeyPlaces, "environment">;
}

/** A variable of the environment may hold an address, too. */
function refuseAddress({ baseUrl, provider, places }: Reaching, policy: Policy | undefined): string | null {
  const variable = provider?.baseUrlVariable && places.environment[provider.baseUrlVariable]?.trim();
  const address = baseUrl ?? variable;
  return address ? refuseBaseUrl(policy, address) : null;
}

type Wanted = { readonly type: "named"; readonly name: string } | Mistake;

async function byKey(places: KeyPlaces, policy: Policy | undefined): Promise<Wanted> {
  const usual = providers.filter(({ id }) => usualModels[id] !== undefined);
  const houses = usual.filter(({ id }) => refuseModel(policy, `${id}/${usualModels[id]}`) === null);
  const found = await providerWithKey(houses, places);
  if (found.type === "mistake") return found;
  const id = found.provider?.id;
  if (id !== undefined) return { type: "named", name: `${id}/${usualModels[id]}` };
  const missing = `no model: ${await whatIsMissing(places)}; or name one with --model provider/model`;
  const allow = policy?.models?.allow;
  if (!allow) return mistake(missing);
  return mistake(`${missing}. Your organisation's policy allows: ${allow.join(", ") || "none"} (${policy.path}).`);
}

/** A file with keys under other names, mistyped ones perhaps, is not passed over as if it were not there. */
async function whatIsMissing(places: KeyPlaces): Promise<string> {
  const file = keyFile(places.home);
  const read = await readKeyFile(file);
  if (read.type === "mistake" || Object.keys(read.keys).length === 0) return howToSet("anthropic", places);
  return `${file} has no key under one of the names ${Object.keys(usualModels).join(", ")}; add one`;
}

function howToSet(id: string, { home }: KeyPlaces): string {
  const [variable] = providers.find((provider) => provider.id === id)?.keyVariables ?? [];
  return `set a key such as ${variable}, or write { "${id}": "…" } into ${keyFile(home)} (chmod 600)`;
}

export interface BesidePlace {
  readonly environment: Environment;
  /** Pith's home. */
  readonly home: string;
  readonly choices: Settings;
  readonly sessionId: string;
  /** The provider of who speaks first: the address is for it, where the settings name no model. */
  readonly provider: string;
}

/** By `provider/model`. */
export type OpenBeside = (name: string) => Promise<ChosenModel>;

/** The base URL in the settings belongs to one seller: no key of another is sent there. */
export function openingBeside({ choices, provider, ...place }: BesidePlace): OpenBeside {
  const { model, baseUrl, contextWindow, firstTokenMinutes, policy } = choices;
  // Whoever spoke in the session before need not be who the address is for.
  const owner = sellerOf(model ?? provider);
  return (name) => {
    const wish = {
      model: name,
      ...(baseUrl !== undefined && sellerOf(name) === owner && { baseUrl }),
      ...(contextWindow !== undefined && { contextWindow }),
      ...(firstTokenMinutes !== undefined && { firstTokenMinutes }),
      ...(policy && { policy }),
    };
    return chooseModel(wish, place);
  };
}

/** One that has two names is one. */
export function sellerOf(name: string): string {
  const [id = ""] = name.split("/");
  return providers.find((provider) => provider.id === id)?.canonicalId ?? id;
}
