/** The providers one can have a key of, as a first start offers them. */

import { type Provider, providers } from "@pith/models";

export interface House {
  readonly provider: Provider;
  /** For people. */
  readonly name: string;
  /** Where one gets a key. */
  readonly keysAt: string;
}

/** Null for a provider that needs no key, or that nobody knows. */
export function houseOf(id: string): House | null {
  const provider = providers.find((each) => each.id === id);
  if (!provider || provider.keys.length === 0) return null;
  const [name, keysAt] = known[provider.seller ?? id] ?? [id, `the pages of ${id}`];
  return { provider, name, keysAt };
}

export function houses(): readonly House[] {
  return Object.keys(known).flatMap((id) => houseOf(id) ?? []);
}

const known: Readonly<Record<string, readonly [name: string, keysAt: string]>> = {
  anthropic: ["Anthropic (Claude)", "console.anthropic.com/settings/keys"],
  openai: ["OpenAI (GPT)", "platform.openai.com/api-keys"],
  google: ["Google (Gemini)", "aistudio.google.com/apikey"],
  openrouter: ["OpenRouter (many models)", "openrouter.ai/settings/keys"],
  xai: ["xAI (Grok)", "console.x.ai"],
  groq: ["Groq", "console.groq.com/keys"],
  cerebras: ["Cerebras", "cloud.cerebras.ai"],
  mistral: ["Mistral", "console.mistral.ai/api-keys"],
  deepseek: ["DeepSeek", "platform.deepseek.com/api_keys"],
  together: ["Together", "api.together.ai/settings/api-keys"],
  fireworks: ["Fireworks", "app.fireworks.ai/settings/users/api-keys"],
  moonshotai: ["Moonshot (Kimi)", "platform.moonshot.ai/console/api-keys"],
  zai: ["Z.ai (GLM)", "z.ai/manage-apikey/apikey-list"],
};
