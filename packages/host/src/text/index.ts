/** Formats, escapes and parses text. */

export {
  type ContextTokens,
  formatAge,
  formatBytes,
  formatContextTokens,
  formatCost,
  formatCount,
  formatCountOrNone,
  formatLineCount,
  formatMinutes,
  formatNumber,
  formatSeconds,
  formatTokenAmount,
  formatTokenLimit,
  formatTokens,
  formatUsage,
  formatWait,
} from "./format.ts";
export { isObject, type JsonObject, parseJsonc, parseJsonObject, type Token, tokenize } from "./jsonc.ts";
export {
  escapeControls,
  escapeLine,
  escapeLineBreaks,
  formatJson,
  stripControls,
  toJsonLine,
  toSafeLine,
  toSafeLines,
  truncate,
} from "./safe-text.ts";
export { expandTilde, quoteIfNeeded } from "./shell-words.ts";
export { findNearest, listNearest, type UsageError, usageError } from "./usage-error.ts";
