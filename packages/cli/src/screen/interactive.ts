/** The interactive mode: one screen, and on it one session after another until somebody has had enough. */

import { ProcessTerminal } from "@earendil-works/pi-tui";
import type { Wish } from "../asking/wish.ts";
import type { Exit } from "../work.ts";
import { openTalk, type Talk } from "./acting/talk.ts";
import { themeNamed } from "./drawing/theme.ts";
import { Screen } from "./screen.ts";
import { nothingShown } from "./state/nothing-shown.ts";

export async function interactive(wish: Wish): Promise<Exit> {
  let talk: Talk | null = null;
  const screen = new Screen({
    terminal: new ProcessTerminal(),
    theme: themeNamed(process.env.NO_COLOR ? "none" : "dark"),
    start: nothingShown,
    now: Date.now,
    pressed: (key) => talk?.pressed(key) ?? false,
    submitted: (text) => void talk?.submitted(text),
  });
  screen.start();
  try {
    for (let next: Wish | null = wish; next; ) {
      const opened = await openTalk(next, screen);
      if (opened.type === "failed" && !talk) return opened.exit;
      if (opened.type === "failed") screen.tell(opened.exit.message ?? "", "bad");
      else {
        await talk?.close();
        talk = opened.talk;
      }
      next = (await talk?.left()) ?? null;
    }
    return { code: 0 };
  } finally {
    await talk?.close();
    screen.stop();
  }
}
