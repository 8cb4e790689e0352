/** Lists the known providers (protocol, base URL, key variables) and suggests one for a mistyped name. */

import {
  createOpenAiCompatibleLoader,
  type LoadLanguageModel,
  loadAnthropic,
  loadGoogle,
  loadOpenAiChat,
  loadOpenAiResponses,
} from "./load-provider.ts";

export interface Provider {
  readonly id: string;
  /** The id recorded in messages and used for prices, if the provider has two ids. */
  readonly canonicalId?: string;
  /** The wire protocol, in pi's spelling. */
  readonly api: string;
  readonly loadModel: LoadLanguageModel;
  /** Absent if the user must give it. */
  readonly baseUrl?: string;
  /** The environment variable with another base URL. */
  readonly baseUrlVariable?: string;
  /** The environment variables with the key; the first one that is set is used. Empty if no key is needed. */
  readonly keyVariables: readonly string[];
  /** Runs on a local machine; the server itself determines the window. */
  readonly isLocal?: true;
}

export const providers: readonly Provider[] = [
  {
    id: "anthropic",
    api: "anthropic-messages",
    loadModel: loadAnthropic,
    baseUrl: "https://api.anthropic.com/v1",
    baseUrlVariable: "ANTHROPIC_BASE_URL",
    keyVariables: ["ANTHROPIC_API_KEY"],
  },
  {
    id: "openai",
    api: "openai-responses",
    loadModel: loadOpenAiResponses,
    baseUrl: "https://api.openai.com/v1",
    baseUrlVariable: "OPENAI_BASE_URL",
    keyVariables: ["OPENAI_API_KEY"],
  },
  {
    id: "openai-chat",
    canonicalId: "openai",
    api: "openai-completions",
    loadModel: loadOpenAiChat,
    baseUrl: "https://api.openai.com/v1",
    baseUrlVariable: "OPENAI_BASE_URL",
    keyVariables: ["OPENAI_API_KEY"],
  },
  {
    id: "google",
    api: "google-generative-ai",
    loadModel: loadGoogle,
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY"],
  },
  createHostedProvider("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
  createHostedProvider("xai", "https://api.x.ai/v1", "XAI_API_KEY"),
  createHostedProvider("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
  createHostedProvider("cerebras", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
  createHostedProvider("mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
  createHostedProvider("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
  createHostedProvider("together", "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
  createHostedProvider("fireworks", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
  createHostedProvider("moonshotai", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"),
  createHostedProvider("zai", "https://api.z.ai/api/paas/v4", "ZAI_API_KEY"),
  createLocalProvider("ollama", "http://127.0.0.1:11434/v1"),
  createLocalProvider("llama.cpp", "http://127.0.0.1:8080/v1"),
  createLocalProvider("lm-studio", "http://127.0.0.1:1234/v1"),
  createLocalProvider("vllm", "http://127.0.0.1:8000/v1"),
  {
    id: "openai-compatible",
    api: "openai-completions",
    loadModel: createOpenAiCompatibleLoader("openai-compatible"),
    keyVariables: [],
  },
];

export function findProvider(id: string): Provider | undefined {
  return providers.find((provider) => provider.id === id);
}

function createHostedProvider(id: string, baseUrl: string, keyVariable: string): Provider {
  return {
    id,
    api: "openai-completions",
    loadModel: createOpenAiCompatibleLoader(id),
    baseUrl,
    keyVariables: [keyVariable],
  };
}

function createLocalProvider(id: string, baseUrl: string): Provider {
  return {
    id,
    api: "openai-completions",
    loadModel: createOpenAiCompatibleLoader(id),
    baseUrl,
    keyVariables: [],
    isLocal: true,
  };
}

/** The provider that sells the model in the name, else the one with the closest spelling; null if none is close. */
export function suggestProvider(name: string): string | null {
  const lowerCaseName = name.toLowerCase();
  const modelMatch = providersByModelWord.find(([word]) => lowerCaseName.includes(word))?.[1];
  if (modelMatch) return modelMatch;
  // A longer name is not a mistyped one, and comparing it would be slow.
  if (lowerCaseName.length > MAX_NAME_LENGTH) return null;
  const closest = providers
    .map(({ id }) => ({ id, distance: editDistance(lowerCaseName, id) }))
    .sort((one, other) => one.distance - other.distance)[0];
  return closest && closest.distance <= Math.max(1, Math.floor(closest.id.length / 4)) ? closest.id : null;
}

const MAX_NAME_LENGTH = 64;

const providersByModelWord = [
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

/** The number of letters to add, remove or change. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const nextRow = [index + 1];
    for (let column = 1; column <= other.length; column += 1)
      nextRow.push(
        Math.min(
          (nextRow[column - 1] ?? 0) + 1,
          (row[column] ?? 0) + 1,
          (row[column - 1] ?? 0) + (letter === other[column - 1] ? 0 : 1),
        ),
      );
    row = nextRow;
  }
  return row[other.length] ?? 0;
}
