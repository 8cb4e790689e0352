/** The pictures of README and docs: scenes as the screen shows them, with made-up but likely content. */

import { themeNamed } from "../../../src/screen/drawing/theme.ts";
import { type Shown, shownOn } from "../shown-on.ts";
import { cellsOf } from "./cells.ts";
import { pageOf } from "./page.ts";

export interface Picture {
  readonly name: string;
  readonly columns: number;
  readonly rows: number;
  /** As a browser draws it. */
  page(): Promise<string>;
}

interface Scene {
  readonly name: string;
  readonly columns?: number;
  readonly rows?: number;
  readonly act: (shown: Shown) => Promise<void> | void;
}

const scenes: readonly Scene[] = [
  {
    name: "talk",
    act: ({ screen }) =>
      screen.change((state) => ({
        ...state,
        blocks: [
          { kind: "said", id: "1", text: "why does the login test fail?", images: [] },
          { kind: "answered", id: "2", text: "Because the clock is read **twice**.", isOpen: false, printed: 0 },
        ],
      })),
  },
];

export const pictures: readonly Picture[] = scenes.map(({ name, columns = 100, rows = 28, act }) => ({
  name,
  columns,
  rows,
  page: async () => {
    const shown = shownOn({ columns, rows, theme: themeNamed("dark") });
    await act(shown);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await shown.terminal.settled();
    const page = pageOf(cellsOf(shown.terminal.emulator));
    shown.screen.stop();
    return page;
  },
}));
