/** What is being done while a summary is made: for whoever waits for it. */

export type Progress =
  | { readonly step: "planning" }
  /** A model is asked; of several questions about parts of a long session, this one. */
  | { readonly step: "asking"; readonly model: string; readonly part?: number; readonly parts?: number }
  /** It answers: tokens so far, its thoughts included. Told once for every few hundred. */
  | { readonly step: "writing"; readonly tokens: number }
  /** It was busy or broke off, and is asked again after a while. */
  | {
      readonly step: "waiting";
      readonly attempt: number;
      readonly delayMs: number;
      readonly errorMessage: string;
    }
  /** The wait is over. */
  | { readonly step: "asking-again"; readonly attempt: number }
  /** Whatever came of asking again. */
  | { readonly step: "answered"; readonly attempts: number }
  /** Its answer is held against the log. */
  | { readonly step: "auditing" }
  /** So much was found: it is told to correct it, and code mends the rest. */
  | { readonly step: "repairing"; readonly flaws: number }
  /** Nothing came of a writer: the next one is asked, at last code. */
  | { readonly step: "falling-back"; readonly why: string };

export type TellProgress = (progress: Progress) => void;
