/** Lists what Gemini refuses: turns out of order, results that do not match a call by name, empty parts. */

import {
  callsOutOfTurn,
  emptyConversation,
  emptyUnsignedTexts,
  foreignSignatures,
  foreignThinking,
  incompleteReplies,
  messagesWithoutBlocks,
  nonObjectArguments,
  unknownRoles,
  unreadableImages,
} from "./message-checks.ts";
import { defineProviderRule, type ProviderRule } from "./rule.ts";
import {
  callsWithoutResult,
  callsWithTwoResults,
  duplicateToolNames,
  invalidCallIds,
  invalidToolNames,
  resultsOutOfPlace,
  resultsWithoutCall,
  resultsWithWrongName,
  unknownToolChoice,
} from "./tool-checks.ts";

const geminiImageTypes = ["image/jpeg", "image/png", "image/webp", "image/heic", "image/heif"];

export const geminiRules: readonly ProviderRule[] = [
  defineProviderRule(
    "GEM1",
    "A conversation without a turn, or with a turn of an unknown role, is refused.",
    emptyConversation,
    unknownRoles,
  ),
  defineProviderRule("GEM2", "A call that follows no turn of the user or of a tool is refused.", callsOutOfTurn),
  defineProviderRule(
    "GEM3",
    "Calls and results that differ in number are refused.",
    callsWithoutResult,
    callsWithTwoResults,
  ),
  defineProviderRule(
    "GEM4",
    "A result that does not stand right behind the turn with its call is refused.",
    resultsWithoutCall,
    resultsOutOfPlace,
  ),
  defineProviderRule("GEM5", "A result that bears another name than its call is refused.", resultsWithWrongName),
  defineProviderRule("GEM6", "A call without an id is refused by the models that pair by id.", invalidCallIds(/./s)),
  defineProviderRule(
    "GEM7",
    "Thoughts and thought signatures of another model are refused.",
    foreignThinking,
    foreignSignatures,
  ),
  defineProviderRule(
    "GEM8",
    "A turn without parts and an empty text without a signature are refused.",
    messagesWithoutBlocks,
    emptyUnsignedTexts,
  ),
  defineProviderRule(
    "GEM9",
    "An image that is not base64 of JPEG, PNG, WebP, HEIC or HEIF is refused.",
    unreadableImages(geminiImageTypes),
  ),
  defineProviderRule("GEM10", "A call whose arguments are not an object is refused.", nonObjectArguments),
  defineProviderRule(
    "GEM11",
    "A tool name declared twice, or not 1 to 64 letters, digits, _ . : and - after a letter or _, is refused.",
    invalidToolNames(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/),
    duplicateToolNames,
  ),
  defineProviderRule("GEM12", "Forcing a tool that is not declared is refused.", unknownToolChoice),
  defineProviderRule("GEM13", "A reply that failed or was cut off is refused for what it lacks.", incompleteReplies),
];
