/** The door `@pith/context`: sessions, and the context at any leaf of them. */

export type * from "./entry.ts";
export { MOVE } from "./entry.ts";
export { type FormatLimits, formatLimits } from "./limits.ts";
export type * from "./message.ts";
export type * from "./model.ts";
export type * from "./ports.ts";
export { buildSessionContext, type SessionContext } from "./reading/build-context.ts";
export { buildRequest, type RequestParts } from "./reading/build-request.ts";
export { convertToLlm } from "./reading/convert-to-llm.ts";
export type * from "./request.ts";
export {
  type BlobBlock,
  blobBlock,
  blobHandle,
  blobOf,
  blobsIn,
  isBlobHash,
  type KeptBlob,
  withInlined,
} from "./session/blob-block.ts";
export { type Carried, carry, nothingCarried } from "./session/carried.ts";
export { checkBatch } from "./session/check-batch.ts";
export { type Damage, type DamageKind, damageNotes } from "./session/codec/damage.ts";
export { newHeader, type Origin } from "./session/codec/header.ts";
export { entryText } from "./session/codec/line/write-line.ts";
export type { Line } from "./session/codec/placed-lines.ts";
export { decodeSession, encodeSession, type SessionFile } from "./session/codec/session-file.ts";
export type { ForkPlan } from "./session/fork.ts";
export { MemoryStore } from "./session/memory-store.ts";
export { type Drafted, Session } from "./session/session.ts";
export { type Appended, type Fence, type Refusal, refusalNotes, type Store } from "./session/store.ts";
export { branch, commonAncestor, labels, type Tree, treeOf } from "./session/tree.ts";
export { emptyWindow, extended, leafOf, type Window, windowAt, windowOf } from "./session/window.ts";
