/** The door `@pith/context/testing`: stories, a scripted model, the contract of a store, the rules of providers. */

export { allApis, providerRules, violations } from "./provider-rules/provider-rules.ts";
export type { ProviderRule } from "./provider-rules/rule.ts";
export { type ScriptedModel, type ScriptedReply, scriptedModel } from "./scripted-model.ts";
export { show } from "./show.ts";
export { type ContractRunner, type StoreMaker, storeContract } from "./store-contract.ts";
export { nothingUsed, story } from "./story.ts";
export { testPorts } from "./test-ports.ts";
