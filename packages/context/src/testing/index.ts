/** Exports `@pith/context/testing`: sessions from short lines, a scripted model, and the contract that every store must meet. */

export { type ScriptedModel, type ScriptedReply, scriptedModel, testRuntime } from "./scripted-model.ts";
export { storeContract } from "./store-contract.ts";
export { emptyUsage, show, story } from "./story.ts";
