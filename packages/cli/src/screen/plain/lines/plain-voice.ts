/** Where lines are said, and where one is asked to type: a prompt stands alone on its line, and whatever is said begins a new one. */

export interface PlainVoice {
  say(lines: readonly string[]): void;
  /** Asks for a line, unless it is asked for already. */
  prompt(text: string): void;
  /** A line was typed. */
  answered(): void;
}

export interface VoiceParts {
  readonly write: (text: string) => void;
  /** Whether the terminal shows what is typed, and the end of its line. */
  readonly isEchoed: boolean;
  /** Something was said. */
  readonly said: () => void;
}

export function plainVoice({ write, isEchoed, said }: VoiceParts): PlainVoice {
  let isPrompted = false;
  return {
    say: (lines) => {
      write(`${isPrompted ? "\n" : ""}${lines.map((line) => `${line}\n`).join("")}`);
      isPrompted = false;
      said();
    },
    prompt: (text) => {
      if (!isPrompted) write(text);
      isPrompted = true;
    },
    answered: () => {
      if (isEchoed) isPrompted = false;
    },
  };
}
