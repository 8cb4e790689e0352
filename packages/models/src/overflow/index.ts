/** Public API of `@pith/models/overflow`: recognises context overflow. Imports no provider's package and sends no request. */

export {
  classifyRefusal,
  type EndedReply,
  overflowInReply,
  type Refusal,
  type RefusalClass,
  type ReplyOverflow,
  type Verdict,
} from "./classify.ts";
export { countsAnswer } from "./token-limits.ts";
