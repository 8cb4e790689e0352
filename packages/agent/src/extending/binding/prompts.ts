/** Questions of extensions to a person: each is announced to all extensions and counted, so that nobody is hurried meanwhile. */

import type { ExtensionUi } from "../extension-ui.ts";
import type { UiPromptEvent } from "../host-events.ts";

export class Prompts {
  readonly #tell: (event: UiPromptEvent) => void;
  #open = 0;

  constructor(tell: (event: UiPromptEvent) => void) {
    this.#tell = tell;
  }

  /** Whether a person is being asked. */
  get isOpen(): boolean {
    return this.#open > 0;
  }

  /** The same port; what is no text is refused before it reaches anybody. */
  around(ui: ExtensionUi): ExtensionUi {
    return {
      select: async (title, options, asking) => {
        texts(title, ...options);
        return this.#during({ method: "select", title }, () => ui.select(title, options, asking));
      },
      confirm: async (title, message, asking) => {
        texts(title, message);
        return this.#during({ method: "confirm", title }, () => ui.confirm(title, message, asking));
      },
      input: async (title, placeholder, asking) => {
        texts(title, placeholder ?? "");
        return this.#during({ method: "input", title }, () => ui.input(title, placeholder, asking));
      },
      notify: (message, type) => {
        texts(message);
        ui.notify(message, type);
      },
      setStatus: (key, text) => {
        texts(key, text ?? "");
        ui.setStatus(key, text);
      },
      setWidget: (key, lines) => {
        texts(key, ...(lines ?? []));
        ui.setWidget(key, lines);
      },
    };
  }

  async #during<Answer>(prompt: Omit<UiPromptEvent, "type">, ask: () => Promise<Answer>): Promise<Answer> {
    this.#open += 1;
    this.#tell({ type: "ui_prompt_start", ...prompt });
    try {
      return await ask();
    } finally {
      this.#open -= 1;
      this.#tell({ type: "ui_prompt_end", ...prompt });
    }
  }
}

function texts(...values: readonly unknown[]): void {
  if (!values.every((value) => typeof value === "string")) throw new Error("what is shown to a person must be text");
}
