/** The door `@pith/models/overflow`: was it too long? Knows no provider's library, and asks nobody. */

export { classifyRefusal, type Refusal, type RefusalClass, type Verdict } from "./classify.ts";
export { type EndedReply, overflowInReply, type ReplyOverflow } from "./in-reply.ts";
