/** Public API of `@pith/models/overflow`: recognises context overflow. Imports no provider package and sends no request. */

export {
  classifyRefusal,
  detectReplyOverflow,
  type EndedReply,
  type Refusal,
  type RefusalClass,
  type RefusalClassification,
  type ReplyOverflow,
} from "./classify.ts";
export { countsOutputTokens } from "./token-limits.ts";
