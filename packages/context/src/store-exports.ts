/** Exports `@pith/context/store`: the store interface, the session file format and the entry tree, for writing your own store. */

export { crashDamageKinds, type Damage, harmlessDamageKinds } from "./format/damage.ts";
export { serializeEntry } from "./format/entry-line.ts";
export { createHeader, decodeSession, encodeSession } from "./format/session-file.ts";
export { type AppendFacts, type AppendLookups, decideAppend, listAppendLookups } from "./session/append-rules.ts";
export { appendToBranch, loadBranch, loadBranchFrom } from "./session/loaded-branch.ts";
export { reduceState } from "./session/state.ts";
export type { AppendGuard, Refusal, Store } from "./session/store.ts";
export { branchEntries, buildTree, commonAncestor } from "./tree.ts";
