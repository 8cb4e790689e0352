/** The door `@pith/models/overflow`: was it too long? Knows no provider's library, and asks nobody. */

export {
  classifyRefusal,
  type EndedReply,
  overflowInReply,
  type Refusal,
  type RefusalClass,
  type ReplyOverflow,
  type Verdict,
} from "./classify.ts";
