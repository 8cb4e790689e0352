/** Words for what comes out of a model: its limits are no limits of the context. */

const results: ReadonlySet<string> = new Set([
  "output",
  "outputs",
  "completion",
  "completions",
  "response",
  "generated",
]);

/** `output`, `completion`, `max_tokens`, `max_output_tokens` … */
export function comesOut(word: string): boolean {
  return results.has(word) || isOutputSetting(word);
}

/** A setting of the request that says how much may come out. `max_input_tokens` and `max_total_tokens` are no such. */
export function isOutputSetting(word: string): boolean {
  return /^max_?(?:new|completion|output|thinking|reasoning|generated)?_?tokens$|^budget_tokens$/.test(word);
}
