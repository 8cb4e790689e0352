/** Says what to do when a request to a model fails. Every mode shows this text; no other file words such advice. */

import type { ModelFailure, ModelName } from "@pith/context";
import { findLocalServers } from "@pith/host/models/available-models";
import { openCatalogue } from "@pith/host/models/catalogue";
import { findKeyVariable } from "@pith/host/settings/provider-keys";
import type { Settings } from "@pith/host/settings/settings";
import { formatWait } from "@pith/host/text/format";
import { listNearest } from "@pith/host/text/usage-error";
import { baseUrlFromEnvironment, type Environment, type Provider, providers } from "@pith/models";
import type { CliArgs } from "../args/args.ts";
import { findProviderOption } from "./check-key.ts";

export interface FailureAdviceOptions {
  readonly mode: CliArgs["mode"];
  readonly environment: Environment;
  /** Pith's home, with the models of `pith models update`. */
  readonly home: string;
  readonly settings: Pick<Settings, "baseUrl">;
}

/** The first line says what happened, the second what to do next. */
export async function describeFailure(
  failure: ModelFailure,
  model: ModelName,
  options: FailureAdviceOptions,
): Promise<string> {
  const advice = await adviseOnFailure(failure, model, options);
  return advice === null ? failure.message : `${failure.message}\n${advice}`;
}

/** Null if the message says it all. */
async function adviseOnFailure(
  failure: ModelFailure,
  { provider: providerId, model }: ModelName,
  options: FailureAdviceOptions,
): Promise<string | null> {
  const { reason, retryAfterMs } = failure;
  const provider = providers.find(({ id }) => id === providerId);
  const otherModel = `choose another model with ${options.mode === "text" || options.mode === "json" ? "--model" : "/model"}`;
  if (reason === undefined) return adviseOnKind(failure, otherModel);
  switch (reason) {
    case "invalid-key":
      return adviseOnKey(providerId, provider, options);
    case "no-access":
      return `The API key is not allowed to do this. Ask the owner of the account for access, or ${otherModel}.`;
    case "no-credit":
      return `The account has no credit left. Add credit on ${providerId}'s website, or ${otherModel}.`;
    case "unknown-model":
      return await adviseOnUnknownModel({ provider, providerId, model, otherModel }, options);
    case "unknown-path":
      return `The server has no such API. ${checkBaseUrl(provider, options)}`;
    case "cost-limit":
      return null;
    case "rate-limit":
      return `You have reached ${providerId}'s rate limit. Send your message again ${formatRetryTime(retryAfterMs)}, or ${otherModel}.`;
    case "connection-refused":
      return provider?.isLocal
        ? `No server is listening at that address. Start ${providerId}, then send your message again. ${checkBaseUrl(provider, options)}`
        : `No server is listening at that address. ${checkBaseUrl(provider, options)}`;
    case "unknown-host":
      return `The host name cannot be resolved. Check your network connection. ${checkBaseUrl(provider, options)}`;
    case "tls":
      return `The secure connection failed. If your network has its own certificate, add it to the system's certificates or name its file in NODE_EXTRA_CA_CERTS. ${checkBaseUrl(provider, options)}`;
    case "timeout":
      return `The server did not answer in time. Check your network connection and proxy, then send your message again, or ${otherModel}.`;
  }
}

function adviseOnKind({ kind, retryAfterMs }: ModelFailure, otherModel: string): string | null {
  if (kind === "busy") return `Send your message again ${formatRetryTime(retryAfterMs)}, or ${otherModel}.`;
  if (kind !== "unreachable") return null;
  return `Nothing is lost. Send your message again when the server is available, or ${otherModel}. Run pith doctor to find the problem.`;
}

function adviseOnKey(providerId: string, provider: Provider | undefined, options: FailureAdviceOptions): string {
  if (findProviderOption(providerId) === null)
    return `This server needs an API key, and Pith sends none to ${providerId}. Use openai-compatible/MODEL with --base-url, and enter the key with pith login openai-compatible.`;
  const variable = provider ? findKeyVariable(provider, options.environment) : null;
  const key = variable === null ? "The API key was rejected." : `The API key in ${variable} was rejected.`;
  switch (options.mode) {
    case "screen":
      return `${key} Enter another one with /login ${providerId}.`;
    case "rpc":
    case "acp":
      return `${key} Enter another one in a terminal with pith login ${providerId}, then send /login ${providerId} here.`;
    default: {
      const unset = variable === null ? "" : ` and unset ${variable}`;
      return `${key} Enter another one with pith login ${providerId}${unset}.`;
    }
  }
}

interface UnknownModel {
  readonly provider: Provider | undefined;
  readonly providerId: string;
  readonly model: string;
  readonly otherModel: string;
}

async function adviseOnUnknownModel(
  { provider, providerId, model, otherModel }: UnknownModel,
  options: FailureAdviceOptions,
): Promise<string> {
  const names = provider?.isLocal
    ? await listServedModels(provider, options)
    : (await openCatalogue(options.home)).catalogue.listModels(providerId);
  const nearest = listNearest(model, names, MAX_SUGGESTIONS);
  const suggestion = nearest.length === 0 ? "" : ` Did you mean ${nearest.join(", ")}?`;
  const download = providerId === "ollama" ? ` Download it with ollama pull ${model}, or` : "";
  const advice = download === "" ? ` C${otherModel.slice(1)}` : `${download} ${otherModel}`;
  return `${providerId} has no model ${model}.${suggestion}${advice}.`;
}

const MAX_SUGGESTIONS = 3;

async function listServedModels(provider: Provider, { settings }: FailureAdviceOptions): Promise<readonly string[]> {
  // A server at another address is not asked: its models are listed by /model.
  if (settings.baseUrl !== undefined) return [];
  return (await findLocalServers({ localProviders: [provider] })).flatMap(({ models }) => models);
}

function checkBaseUrl(provider: Provider | undefined, { settings, environment }: FailureAdviceOptions): string {
  if (settings.baseUrl !== undefined)
    return `Check the base URL ${settings.baseUrl} (the setting baseUrl or --base-url).`;
  const variableUrl = provider && baseUrlFromEnvironment(provider, environment);
  if (variableUrl) return `Check the base URL ${variableUrl} (${provider.baseUrlVariable}).`;
  return provider?.isLocal
    ? `Its address is ${provider.baseUrl}; --base-url sets another one.`
    : "Run pith doctor to find the problem.";
}

function formatRetryTime(retryAfterMs: number | undefined): string {
  return retryAfterMs === undefined ? "in a minute" : `in ${formatWait(retryAfterMs)}`;
}
