/** What is printed once the server listens: its address, and where each protocol wants it. */

export function greeting(url: string): string {
  return `pith-testkit listens at ${url}

  Anthropic Messages                   ANTHROPIC_BASE_URL=${url}
  OpenAI Responses, Chat Completions   OPENAI_BASE_URL=${url}/v1
  Google generateContent               GOOGLE_GEMINI_BASE_URL=${url}

  In the AI SDK, baseURL is ${url}/v1, for Google ${url}/v1beta.
  Any key will do, but there must be one. Ctrl-C ends it.
`;
}
