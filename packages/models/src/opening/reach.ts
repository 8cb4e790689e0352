/** From a provider's name to its language model: who it is, where it lives, which key opens it. */

import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Environment } from "../network/environment.ts";
import type { Line } from "../providers/line.ts";
import { onDemand } from "../providers/on-demand.ts";
import { type Provider, providerNamed, providers } from "../providers/provider.ts";
import { providerLike } from "../providers/provider-like.ts";
import type { ModelWish } from "./model-wish.ts";

export type Reached =
  | {
      readonly type: "reached";
      readonly language: LanguageModelV4;
      readonly api: string;
      readonly provider: Provider | null;
      /** Where it is reached; its name, where only its package knows. */
      readonly home: string;
    }
  | { readonly type: "unknown-provider" | "incomplete" | "no-key" | "not-installed"; readonly message: string };

export interface ReachParts {
  readonly environment: Environment;
  readonly fetch: typeof fetch;
}

export async function reach(wish: ModelWish, { environment, fetch }: ReachParts): Promise<Reached> {
  const provider = providerNamed(wish.provider);
  const baseUrl = wish.baseUrl ?? addressIn(environment, provider) ?? provider?.baseUrl;
  const apiKey = [wish.apiKey, ...(provider?.keys ?? []).map((name) => environment[name])].find((key) => key?.trim());
  const missing = whatIsMissing(wish, baseUrl);
  if (missing) return { type: "incomplete", message: missing };
  const line: Line = {
    model: wish.model,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
    ...(wish.headers && { headers: wish.headers }),
    fetch,
  };
  if (wish.package !== undefined) return byPackage(wish.package, line);
  if (!provider) return { type: "unknown-provider", message: unknown(wish.provider) };
  if (apiKey === undefined && provider.keys.length > 0) return { type: "no-key", message: keyless(provider) };
  return {
    type: "reached",
    language: await provider.connect(line),
    api: provider.api,
    provider,
    home: baseUrl ?? provider.id,
  };
}

/** The packages would look into the process's own variables, behind everybody's back; so they are always told. */
function addressIn(environment: Environment, provider: Provider | undefined): string | undefined {
  const address = provider?.address && environment[provider.address]?.trim();
  if (!address) return undefined;
  // Some write only the host, as other programs want it.
  return URL.parse(address)?.pathname === "/" ? `${address.replace(/\/$/, "")}/v1` : address;
}

function whatIsMissing({ provider, model }: ModelWish, baseUrl: string | undefined): string | null {
  if (model.trim() === "") return `which model of ${provider}? Its name is empty`;
  if (baseUrl === undefined)
    return provider === "openai-compatible" ? `${provider} needs a baseUrl, e.g. ${EXAMPLE}` : null;
  if (/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? "")) return null;
  return `the baseUrl "${baseUrl}" is no address of the web; write one like ${EXAMPLE}`;
}

const EXAMPLE = "http://127.0.0.1:8080/v1";

async function byPackage(name: string, line: Line): Promise<Reached> {
  const found = await onDemand(name, line);
  switch (found.type) {
    case "loaded":
      return {
        type: "reached",
        language: found.language,
        api: apiOf(found.language),
        provider: null,
        home: line.baseUrl ?? name,
      };
    case "unwilling":
      return { type: "incomplete", message: `the package ${name} cannot be used like this: ${found.message}` };
    case "not-installed":
      return { type: "not-installed", message: `the package ${name} is not installed; run: npm install ${name}` };
    case "not-a-provider":
      return {
        type: "not-installed",
        message: `the package ${name} is not a provider of the AI SDK 7 (no create… function that makes V4 models)`,
      };
  }
}

// Packages of other providers speak protocols of their own, or one of the four under another name.
function apiOf({ provider }: LanguageModelV4): string {
  if (provider.includes("anthropic")) return "anthropic-messages";
  if (provider.startsWith("google")) return "google-generative-ai";
  if (provider.endsWith(".responses")) return "openai-responses";
  return provider.endsWith(".chat") ? "openai-completions" : provider;
}

function unknown(name: string): string {
  const known = providers.map(({ id }) => id).join(", ");
  const meant = providerLike(name);
  const guess = meant ? ` Did you mean ${meant}?` : "";
  return `there is no provider "${name}".${guess} Known: ${known}. For any other, name its AI SDK package as \`package\`, or use openai-compatible with a baseUrl`;
}

function keyless({ id, keys }: Provider): string {
  return `${id} needs a key: set ${keys.join(" or ")}, or hand one in as apiKey`;
}
