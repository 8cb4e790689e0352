/** Lists what Gemini refuses: turns out of order, results that do not match a call by name, empty parts. */

import {
  argumentsNotObjects,
  callsOutOfTurn,
  emptyUnsignedTexts,
  failedReplies,
  foreignSignatures,
  foreignThinking,
  messagesWithoutBlocks,
  silence,
  unknownRoles,
  unreadableImages,
} from "./message-checks.ts";
import { type ProviderRule, rule } from "./rule.ts";
import {
  callsAnsweredTwice,
  displacedResults,
  idsOutside,
  misnamedResults,
  repeatedToolNames,
  resultsWithoutCall,
  toolNamesOutside,
  unansweredCalls,
  undeclaredChoice,
} from "./tool-checks.ts";

const geminiImages = ["image/jpeg", "image/png", "image/webp", "image/heic", "image/heif"];

export const gemini: readonly ProviderRule[] = [
  rule("GEM1", "A conversation without a turn, or with a turn of an unknown role, is refused.", silence, unknownRoles),
  rule("GEM2", "A call that follows no turn of the user or of a tool is refused.", callsOutOfTurn),
  rule("GEM3", "Calls and results that differ in number are refused.", unansweredCalls, callsAnsweredTwice),
  rule(
    "GEM4",
    "A result that does not stand right behind the turn with its call is refused.",
    resultsWithoutCall,
    displacedResults,
  ),
  rule("GEM5", "A result that bears another name than its call is refused.", misnamedResults),
  rule("GEM6", "A call without an id is refused by the models that pair by id.", idsOutside(/./s)),
  rule("GEM7", "Thoughts and thought signatures of another model are refused.", foreignThinking, foreignSignatures),
  rule(
    "GEM8",
    "A turn without parts and an empty text without a signature are refused.",
    messagesWithoutBlocks,
    emptyUnsignedTexts,
  ),
  rule(
    "GEM9",
    "An image that is not base64 of JPEG, PNG, WebP, HEIC or HEIF is refused.",
    unreadableImages(geminiImages),
  ),
  rule("GEM10", "A call whose arguments are not an object is refused.", argumentsNotObjects),
  rule(
    "GEM11",
    "A tool name declared twice, or not 1 to 64 letters, digits, _ . : and - after a letter or _, is refused.",
    toolNamesOutside(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/),
    repeatedToolNames,
  ),
  rule("GEM12", "Forcing a tool that is not declared is refused.", undeclaredChoice),
  rule("GEM13", "A reply that failed or was cut off is refused for what it lacks.", failedReplies),
];
