/** The port to the person, as extensions have it: a few questions and signs that every mode can show, also over a line to another program. */

export interface ExtensionUi {
  /** Undefined where it was left without an answer. */
  select(title: string, options: readonly string[], asking?: UiAsking): Promise<string | undefined>;
  confirm(title: string, message: string, asking?: UiAsking): Promise<boolean>;
  input(title: string, placeholder?: string, asking?: UiAsking): Promise<string | undefined>;
  notify(message: string, type?: "info" | "warning" | "error"): void;
  /** A few words by the meter; undefined takes them away. */
  setStatus(key: string, text: string | undefined): void;
  /** Lines above the editor; undefined takes them away. */
  setWidget(key: string, lines: readonly string[] | undefined): void;
}

export interface UiAsking {
  readonly signal?: AbortSignal;
  /** Milliseconds after which nobody is expected to answer any more. */
  readonly timeout?: number;
}

/** Where nobody is there: no question is answered, and nothing is shown. */
export const nobodyThere: ExtensionUi = {
  select: async () => undefined,
  confirm: async () => false,
  input: async () => undefined,
  notify: () => {},
  setStatus: () => {},
  setWidget: () => {},
};
