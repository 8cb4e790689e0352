/** Finds the markers that stand for long pastes in the editor, such as `[paste #1 +42 lines]`, and recognizes a paste that is sent again. */

/** A text in the editor, in which markers stand for long pastes. */
export interface TypedText {
  /** The text as shown in the editor, with markers for long pastes. Only this text can mention files, so a paste cannot attach a file unseen. */
  readonly typed: string;
  /** Long pastes that the editor shows as markers, each with its text. */
  readonly pastes?: readonly Paste[];
}

export interface Paste {
  /** The marker in the editor, such as `[paste #1 +42 lines]`. */
  readonly marker: string;
  readonly text: string;
}

/** Returns the pastes in the order of their markers, each once. `pastes` maps the number of a marker to its text. */
export function findPastes(typed: string, pastes: ReadonlyMap<number, string>): readonly Paste[] {
  const textByMarker = new Map(
    [...typed.matchAll(PASTE_MARKER)].map(([marker, number]) => [marker, pastes.get(Number(number))]),
  );
  return [...textByMarker].flatMap(([marker, text]) => (text === undefined ? [] : [{ marker, text }]));
}

/** The format of pi-tui's editor. */
const PASTE_MARKER = /\[paste #(\d+)(?: (?:\+\d+ lines|\d+ chars))?\]/g;

/**
 * WORD6: remembers the pastes that were sent. A message that returns to the editor, by the up arrow, Esc or a branch, contains them in
 * full. When it is sent again, they are still pastes and not typed text.
 */
export class SentPastes {
  #texts: readonly string[] = [];

  /** Replaces each known paste in the message by a marker, and remembers the pastes of the message. */
  collapse<Message extends TypedText>(message: Message): Message {
    let { typed } = message;
    const pastes = [...(message.pastes ?? [])];
    for (const text of this.#texts) {
      if (!typed.includes(text)) continue;
      const marker = createMarker(typed, text);
      typed = typed.replaceAll(text, () => marker);
      pastes.push({ marker, text });
    }
    this.#remember(pastes);
    return pastes.length === 0 ? message : { ...message, typed, pastes };
  }

  #remember(pastes: readonly Paste[]): void {
    const texts = new Set([...pastes.map(({ text }) => text), ...this.#texts]);
    this.#texts = [...texts].slice(0, MAX_REMEMBERED_PASTES);
  }
}

const MAX_REMEMBERED_PASTES = 50;

function createMarker(typed: string, text: string): string {
  const numbers = [...typed.matchAll(PASTE_MARKER)].map(([, number]) => Number(number));
  return `[paste #${Math.max(0, ...numbers) + 1} +${text.split("\n").length} lines]`;
}

/** WORD6: pastes next to typed text are attachments. If a message consists only of pastes, they are the text of the message. */
export function getAttachedPastes({ typed, pastes = [] }: TypedText): readonly Paste[] {
  const rest = pastes.reduce((text, { marker }) => text.replaceAll(marker, " "), typed);
  return /\S/.test(rest) ? pastes : [];
}
