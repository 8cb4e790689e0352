/** A key that is typed or pasted: nobody sees more of it than how long it is. */

import { CURSOR_MARKER, truncateToWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { isKey } from "../../../home/key-file.ts";
import { plain } from "../../../printing/plain.ts";
import { answered, goesOn, type Panel, type Pressed, type Sight } from "../../panels/panel.ts";
import { hintLine } from "../../widgets/hint-line.ts";
import { emptyLine, type LineInput, typedInto } from "../../widgets/line-input.ts";

export interface SecretWish {
  readonly title: string;
  /** What to know before. */
  readonly says: string;
  /** Why it is asked once more. */
  readonly fault: string | null;
}

export interface Secret {
  readonly line: LineInput;
  readonly fault: string | null;
}

export function secretLine(wish: SecretWish): Panel<Secret, string> {
  return {
    start: { line: emptyLine, fault: wish.fault },
    press: ({ line, fault }, key) => {
      if (key === "enter") return taken(line);
      const next = pastedInto(line, key) ?? typedInto(line, key);
      return next ? goesOn({ line: next, fault: next.text === "" ? fault : null }) : null;
    },
    draw: (secret, sight) => drawn(wish, secret, sight),
  };
}

function taken(line: LineInput): Pressed<Secret, string> {
  const key = line.text.trim();
  if (isKey(key)) return answered(key);
  const fault = key === "" ? null : "A key is one word of plain letters, digits and signs. Paste it once more.";
  return goesOn<Secret>({ line: emptyLine, fault });
}

/** Some terminals hand over what is pasted as if it were one key. */
function pastedInto({ text, cursor }: LineInput, key: string): LineInput | null {
  if (!/^[!-~]{2,}$/.test(key) || NAMES.test(key)) return null;
  return { text: text.slice(0, cursor) + key + text.slice(cursor), cursor: cursor + key.length };
}

/** What keys are called, so that they are not taken for something pasted. */
const NAMES = /^(?:(?:ctrl|alt|shift|super)\+.+|[a-zA-Z]{2,9}|f\d{1,2})$/;

function drawn({ title, says }: SecretWish, { line, fault }: Secret, { width, theme }: Sight): string[] {
  const length = line.text.length;
  const dots = "•".repeat(Math.min(length, Math.max(8, width - 30)));
  const count = length === 0 ? "" : theme.dim(`  ${length} letters`);
  return [
    theme.border("─".repeat(width)),
    theme.strong(` ${plain(title)}`),
    ...wrapTextWithAnsi(theme.dim(plain(says)), width - 2).map((each) => ` ${each}`),
    ...(fault === null ? [] : [theme.bad(` ✗ ${plain(fault)}`)]),
    ` ❯ ${dots}${CURSOR_MARKER}${theme.selected(" ")}${count}`,
    hintLine(["Enter takes it", "Ctrl+U empties the line", "Esc later"], { width, theme }),
  ].map((each) => truncateToWidth(each, width));
}
