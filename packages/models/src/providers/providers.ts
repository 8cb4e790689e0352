/** Lists the known providers (protocol, base URL, key variables) and suggests one for a mistyped name. */

import { anthropic, type Connect, compatible, google, openaiChat, openaiResponses } from "./load-provider.ts";

export interface Provider {
  readonly id: string;
  /** Under which its messages and prices go, where one provider has two names. */
  readonly seller?: string;
  /** The wire protocol, in pi's spelling. */
  readonly api: string;
  readonly connect: Connect;
  /** Where it lives, unless only the user knows. */
  readonly baseUrl?: string;
  /** The variable of the environment that may hold another address. */
  readonly address?: string;
  /** Variables of the environment that may hold its key, the first that is set wins; none: it takes everyone. */
  readonly keys: readonly string[];
  /** Runs on one's own machine: it knows best how much it shows its model. */
  readonly isLocal?: true;
}

export const providers: readonly Provider[] = [
  {
    id: "anthropic",
    api: "anthropic-messages",
    connect: anthropic,
    baseUrl: "https://api.anthropic.com/v1",
    address: "ANTHROPIC_BASE_URL",
    keys: ["ANTHROPIC_API_KEY"],
  },
  {
    id: "openai",
    api: "openai-responses",
    connect: openaiResponses,
    baseUrl: "https://api.openai.com/v1",
    address: "OPENAI_BASE_URL",
    keys: ["OPENAI_API_KEY"],
  },
  {
    id: "openai-chat",
    seller: "openai",
    api: "openai-completions",
    connect: openaiChat,
    baseUrl: "https://api.openai.com/v1",
    address: "OPENAI_BASE_URL",
    keys: ["OPENAI_API_KEY"],
  },
  {
    id: "google",
    api: "google-generative-ai",
    connect: google,
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keys: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY"],
  },
  distant("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
  distant("xai", "https://api.x.ai/v1", "XAI_API_KEY"),
  distant("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
  distant("cerebras", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
  distant("mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
  distant("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
  distant("together", "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
  distant("fireworks", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
  distant("moonshotai", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"),
  distant("zai", "https://api.z.ai/api/paas/v4", "ZAI_API_KEY"),
  local("ollama", "http://127.0.0.1:11434/v1"),
  local("llama.cpp", "http://127.0.0.1:8080/v1"),
  local("lm-studio", "http://127.0.0.1:1234/v1"),
  local("vllm", "http://127.0.0.1:8000/v1"),
  { id: "openai-compatible", api: "openai-completions", connect: compatible("openai-compatible"), keys: [] },
];

export function providerNamed(id: string): Provider | undefined {
  return providers.find((provider) => provider.id === id);
}

function distant(id: string, baseUrl: string, key: string): Provider {
  return { id, api: "openai-completions", connect: compatible(id), baseUrl, keys: [key] };
}

function local(id: string, baseUrl: string): Provider {
  return { id, api: "openai-completions", connect: compatible(id), baseUrl, keys: [], isLocal: true };
}

/** The provider that sells the model in the name, else the one with the closest spelling; null if none is close. */
export function providerLike(name: string): string | null {
  const wanted = name.toLowerCase();
  const house = houses.find(([word]) => wanted.includes(word))?.[1];
  if (house) return house;
  // Nobody mistypes so much, and it would take long to look.
  if (wanted.length > LONGEST) return null;
  const near = providers
    .map(({ id }) => ({ id, far: distance(wanted, id) }))
    .sort((one, other) => one.far - other.far)[0];
  return near && near.far <= Math.max(1, Math.floor(near.id.length / 4)) ? near.id : null;
}

const LONGEST = 64;

const houses = [
  ["claude", "anthropic"],
  ["gpt", "openai"],
  ["gemini", "google"],
  ["vertex", "google"],
  ["grok", "xai"],
  ["kimi", "moonshotai"],
  ["glm", "zai"],
  ["llama", "llama.cpp"],
  ["lmstudio", "lm-studio"],
] as const;

/** Letters to add, drop or change. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (let to = 1; to <= other.length; to += 1)
      next.push(
        Math.min((next[to - 1] ?? 0) + 1, (row[to] ?? 0) + 1, (row[to - 1] ?? 0) + (letter === other[to - 1] ? 0 : 1)),
      );
    row = next;
  }
  return row[other.length] ?? 0;
}
