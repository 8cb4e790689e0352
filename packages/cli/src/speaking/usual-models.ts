/** What each provider is asked for where nobody names a model, in the order in which a key is looked for. */

/** By the provider's id. */
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
