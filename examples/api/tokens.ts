/** Tokens: how large a context is, based on the providers' counts and on an estimate calibrated with them. */

import assert from "node:assert/strict";
import {
  calculateContextTokens,
  contextSize,
  type Entry,
  estimateTokens,
  messageTokens,
  textTokens,
  type Usage,
} from "@pith/context";
import { collectCalibration, findCalibration, requestTokens } from "@pith/context/host";
import { loadBranch } from "@pith/context/store";
import { emptyUsage, story } from "@pith/context/testing";

// #region textTokens
const tokens = textTokens("The parser reads every line twice."); // 8, without a tokenizer
// #endregion

// #region messageTokens
const message = { role: "user", content: "The parser reads every line twice.", timestamp: 1 } as const;
const sent = messageTokens(message); // 16: the text, and what a provider wraps around it
// #endregion

// #region requestTokens
const system = [{ name: "prompt", text: "You are a coding agent." }];
const whole = requestTokens({ system, tools: [], messages: [message] }); // 22: the system prompt, the tools and the messages
// #endregion

// #region estimateTokens
const shell = { role: "bashExecution", command: "ls", output: "a.ts", cancelled: false, truncated: false } as const;
const estimated = estimateTokens({ ...shell, exitCode: 0, timestamp: 1 }); // 24: for any message, as the model would see it
// #endregion

// #region calculateContextTokens
const usage: Usage = { ...emptyUsage, input: 200, cacheRead: 1_800, output: 100 };
const counted = calculateContextTokens(usage); // 2100: the next request will have at least this many
// #endregion

// A reply with its usage, as every provider reports it.
const paid = (entry: Entry, used: Usage): Entry =>
  entry.type === "message" && entry.message.role === "assistant"
    ? { ...entry, message: { ...entry.message, usage: used } }
    : entry;
const long = `user: ${"The parser reads every line twice. ".repeat(100)}`;
const entries = story("user: Hi.", "says: Hello.", long, "says: I see.", "user: Go on.").map((entry) => {
  if (entry.id === "e2") return paid(entry, { ...emptyUsage, input: 2_000, output: 10 });
  return entry.id === "e4" ? paid(entry, { ...emptyUsage, input: 3_100, output: 10 }) : entry;
});

// #region contextSize
const window = loadBranch(entries); // the last reply was counted by its provider, one message came after it
const size = contextSize(window);
// { tokens: 3125, isEstimate: false, measured: 3110, estimated: 15, fixed: 2080, bytes: 3821 }
// #endregion

// #region collectCalibration
const calibration = collectCalibration(window); // learned from the replies on this branch, by model
// { "anthropic/storyteller": { factor: 1.187, overhead: 2080, samples: 1.68 } }, rounded
// #endregion

// #region findCalibration
const fit = findCalibration(calibration, { provider: "anthropic", model: "storyteller" });
const real = Math.ceil(tokens * fit.factor); // 10: an estimate, corrected for this model
// #endregion

assert.deepEqual([tokens, sent, counted, real], [8, 16, 2_100, 10]);
assert.equal(estimated, 24);
assert.equal(whole, 22);
assert.deepEqual(size, {
  tokens: 3_125,
  isEstimate: false,
  measured: 3_110,
  estimated: 15,
  fixed: 2_080,
  bytes: 3_821,
});
assert.deepEqual(fit, calibration["anthropic/storyteller"]);
assert.deepEqual([fit.factor.toFixed(3), fit.overhead, fit.samples], ["1.187", 2_080, 1.68]);
