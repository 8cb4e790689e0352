/** Exports `@pith/context/testing`: stories, scripted model, store contract, faulty files, sample secrets, provider rules, token model. */

export { COST_SHIFT, ROW_MASK, sortOf, type TokenWeights, tokenSteps } from "../tokens/token-model.ts";
export { tokenWeights } from "../tokens/token-weights.ts";
export { FaultyFiles } from "./faulty-files/faulty-files.ts";
export type { Chance } from "./faulty-files/power-cut.ts";
export { Crashed, type Operation } from "./faulty-files/refusal.ts";
export { seededChance } from "./faulty-files/seeded-chance.ts";
export { type PlantedSecret, plantedSecrets } from "./planted-secrets.ts";
export { allApis, providerRules, violations } from "./provider-rules/provider-rules.ts";
export type { ProviderRule } from "./provider-rules/rule.ts";
export { type ScriptedModel, type ScriptedReply, scriptedModel, testPorts } from "./scripted-model.ts";
export { type ContractRunner, type StoreMaker, storeContract } from "./store-contract.ts";
export { nothingUsed, show, story } from "./story.ts";
