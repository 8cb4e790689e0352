/** Whose model is asked: OpenAI's own take any order of messages; of the many other servers the strict ones are played. */

export function isOpenAi(model: unknown): boolean {
  return /^(gpt-|chatgpt|o[134](-|$))/.test(String(model));
}

/** OpenAI's models that think before they answer, and take fewer settings. */
export function isThinker(model: unknown): boolean {
  return /^(gpt-5(?!.*-chat)|o[134](-|$))/.test(String(model));
}
