/** Provider options under one more name: Azure's package speaks OpenAI's protocol, and looks under a name of its own. */

import type { LanguageModelV4CallOptions, LanguageModelV4Message, SharedV4ProviderOptions } from "@ai-sdk/provider";

export interface OptionsName {
  readonly api: string;
  readonly optionsName?: string | undefined;
}

// The first name stays: Anthropic's package reads a signature under no other, whoever built on it.
export function alsoNamed(
  options: LanguageModelV4CallOptions,
  { api, optionsName }: OptionsName,
): LanguageModelV4CallOptions {
  const bundled = bundledNames.get(api);
  if (optionsName === undefined || bundled === undefined) return options;
  const named = <Each extends Bearer>(bearer: Each): Each => withName(bearer, { bundled, optionsName });
  const prompt = options.prompt.map((message) =>
    typeof message.content === "string"
      ? named(message)
      : named({ ...message, content: (message.content as Bearer[]).map(named) } as LanguageModelV4Message),
  );
  return named({
    ...options,
    prompt,
    ...(options.tools && { tools: options.tools.map((tool) => (tool.type === "function" ? named(tool) : tool)) }),
  });
}

interface Bearer {
  readonly providerOptions?: SharedV4ProviderOptions;
}

function withName<Each extends Bearer>(
  bearer: Each,
  { bundled, optionsName }: { readonly bundled: string; readonly optionsName: string },
): Each {
  const fields = bearer.providerOptions?.[bundled];
  return fields ? { ...bearer, providerOptions: { ...bearer.providerOptions, [optionsName]: fields } } : bearer;
}

const bundledNames: ReadonlyMap<string, string> = new Map([
  ["anthropic-messages", "anthropic"],
  ["openai-responses", "openai"],
  ["openai-completions", "openai"],
  ["google-generative-ai", "google"],
]);
