/** Keys of those who run models. */

import type { Family } from "../family.ts";

export const models: readonly Family[] = [
  { id: "anthropic", name: "Anthropic key", needles: ["sk-ant-"], pattern: "sk-ant-[\\w-]{32,}" },
  { id: "openrouter", name: "OpenRouter key", needles: ["sk-or-"], pattern: "sk-or-(?:v1-)?[\\w-]{32,}" },
  {
    id: "openai",
    name: "OpenAI key",
    needles: ["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-", "sk-"],
    pattern: "sk-(?:(?:proj|svcacct|admin|None)-[\\w-]{20,}|[A-Za-z0-9]{32,})",
  },
  {
    id: "huggingface",
    name: "Hugging Face token",
    needles: ["hf_", "api_org_"],
    pattern: "(?:hf|api_org)_[A-Za-z0-9]{30,}",
  },
  { id: "groq", name: "Groq key", needles: ["gsk_"], pattern: "gsk_[A-Za-z0-9]{40,}" },
  { id: "xai", name: "xAI key", needles: ["xai-"], pattern: "xai-[A-Za-z0-9]{60,}" },
  { id: "perplexity", name: "Perplexity key", needles: ["pplx-"], pattern: "pplx-[A-Za-z0-9]{40,}" },
  { id: "replicate", name: "Replicate token", needles: ["r8_"], pattern: "r8_[A-Za-z0-9]{36,}" },
  { id: "langsmith", name: "LangSmith key", needles: ["lsv2_"], pattern: "lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}" },
  { id: "tavily", name: "Tavily key", needles: ["tvly-"], pattern: "tvly-(?:dev-|prod-)?[A-Za-z0-9]{28,}" },
];
