/** The lists of a ledger as sections, each item on one line with the entry it came from. */

import {
  LETTERS,
  type Ledger,
  type LedgerCommand,
  type LedgerImage,
  type LedgerLine,
  type LedgerReference,
} from "../ledger.ts";
import { imageMark } from "./image-mark.ts";
import { quoted } from "./quoted.ts";

export interface Section {
  readonly heading: string;
  /** What its items are called. */
  readonly items: string;
  /** The newest last. */
  readonly lines: readonly string[];
}

export function sectionsOf({ commands, errors, lines, references, images }: Ledger): readonly Section[] {
  return [
    { heading: "## Commands", items: "commands", lines: commands.map(commandLine) },
    { heading: "## Errors", items: "errors", lines: errors.map(textLine) },
    { heading: "## From long outputs", items: "lines of output", lines: lines.map(textLine) },
    { heading: "## Addresses, commits, ids", items: "references", lines: references.map(referenceLine) },
    { heading: "## Images", items: "images", lines: images.map(imageLine) },
  ];
}

function commandLine({ command, exitCode, entryId }: LedgerCommand): string {
  return item(`${quoted(command, LETTERS.command)} → exit ${exitCode ?? "unknown"}`, entryId);
}

function textLine({ text, entryId }: LedgerLine): string {
  return item(quoted(text, LETTERS.line), entryId);
}

function referenceLine({ kind, text, entryId }: LedgerReference): string {
  const said = quoted(text, LETTERS.reference);
  return item(kind === "commit" ? `commit ${said}` : said, entryId);
}

function imageLine(image: LedgerImage): string {
  return item(imageMark(image), image.entryId);
}

// LED5
function item(text: string, entryId: string): string {
  return `- ${text} (${quoted(entryId, LETTERS.id)})`;
}
