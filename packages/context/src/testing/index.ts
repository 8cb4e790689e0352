/** The door `@pith/context/testing`: stories, a scripted model, the contract of a store, a disk that fails, the rules of providers, the inside of the estimator. */

export { sortOf } from "../reading/tokens/letters/letter-sorts.ts";
export { type TokenWeights, tokenSteps } from "../reading/tokens/letters/token-steps.ts";
export { tokenWeights } from "../reading/tokens/letters/token-weights.ts";
export { FaultyFiles } from "./faulty-files/faulty-files.ts";
export type { Chance } from "./faulty-files/power-cut.ts";
export { Crashed, type Operation } from "./faulty-files/refusal.ts";
export { seededChance } from "./faulty-files/seeded-chance.ts";
export { type PlantedSecret, plantedSecrets } from "./planting/planted-secret.ts";
export { allApis, providerRules, violations } from "./provider-rules/provider-rules.ts";
export type { ProviderRule } from "./provider-rules/rule.ts";
export { type ScriptedModel, type ScriptedReply, scriptedModel } from "./scripted-model.ts";
export { show } from "./show.ts";
export { type ContractRunner, type StoreMaker, storeContract } from "./store-contract.ts";
export { nothingUsed, story } from "./story.ts";
export { testPorts } from "./test-ports.ts";
