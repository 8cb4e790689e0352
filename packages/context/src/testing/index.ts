/** Exports `@pith/context/testing`: stories, scripted model, store contract, faulty files, sample secrets, provider rules, token model. */

export {
  buildTokenCostTable,
  COST_SHIFT,
  charClassIndexes,
  ROW_MASK,
  type TokenWeights,
} from "../tokens/token-model.ts";
export { tokenWeights } from "../tokens/token-weights.ts";
export { FaultyFiles } from "./faulty-files/faulty-files.ts";
export type { RandomSource } from "./faulty-files/power-cut.ts";
export { CrashError, type FileOperation } from "./faulty-files/refusal.ts";
export { createSeededRandom } from "./faulty-files/seeded-chance.ts";
export { createSampleSecrets, type SampleSecret } from "./planted-secrets.ts";
export { apisWithRules, findRuleViolations, providerRules } from "./provider-rules/provider-rules.ts";
export type { ProviderRule } from "./provider-rules/rule.ts";
export { type ScriptedModel, type ScriptedReply, scriptedModel, testRuntime } from "./scripted-model.ts";
export { type ContractRunner, type StoreFactory, storeContract } from "./store-contract.ts";
export { emptyUsage, show, story } from "./story.ts";
