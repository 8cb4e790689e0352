/** Tests who owns the terminal: the session, a page, or another program. */

import { expect, test } from "vitest";
import { continueWith, type Panel } from "../../../src/modes/interactive/panels/panel.ts";
import { pieces, started } from "../../support/reply-events.ts";
import { createTestScreen } from "../../support/test-screen.ts";

function page(drawn: () => void): Panel<null, string> {
  return {
    initialState: null,
    handleKey: (_, key) => (key === "enter" ? { type: "done", answer: "yes" } : continueWith(null)),
    render: () => {
      drawn();
      return ["the page"];
    },
  };
}

function moment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 60));
}

test("SCR26 a page is not redrawn for each piece of a reply that arrives below it", async () => {
  const { screen, screenText } = createTestScreen({ columns: 80, rows: 24 });
  let count = 0;
  const answer = screen.showPanel(
    page(() => count++),
    { where: "page", signal: AbortSignal.timeout(20_000) },
  );
  const words = Array.from({ length: 400 }, (_, at) => `word${at}`).join(" ");
  for (const event of [started(), ...pieces([{ type: "text", text: words }], 4)]) screen.handleEvent(event);
  await moment();
  expect(count).toBeLessThan(20);
  expect(await screenText()).toBe("the page\n");
  screen.stop();
  void answer;
});

test("SCR26 a program that gets the terminal while a page is open has the main screen, and the page returns afterwards", async () => {
  const { screen, terminal, screenText } = createTestScreen({ columns: 80, rows: 24 });
  void screen.showPanel(
    page(() => {}),
    { where: "page" },
  );
  await moment();
  const during = await screen.releaseTerminal(async () => {
    terminal.write("an editor\r\n");
    await moment();
    return `${terminal.emulator.buffer.active.type} ${await screenText()}`;
  });
  expect(during).toBe("normal an editor\n");
  await moment();
  expect([terminal.emulator.buffer.active.type, await screenText()]).toEqual(["alternate", "the page\n"]);
  terminal.press("\r");
  await moment();
  expect(terminal.emulator.buffer.active.type).toBe("normal");
  expect((await terminal.scrollback()).filter((line) => line.includes("the page"))).toEqual([]);
  screen.stop();
});

test("SCR26 while another program has the terminal, nothing is written to it, not even by a panel, a note or stop", async () => {
  const { screen, terminal } = createTestScreen({ columns: 80, rows: 24 });
  await moment();
  await screen.releaseTerminal(async () => {
    const { written } = terminal;
    void screen.showPanel(
      page(() => {}),
      { where: "page" },
    );
    screen.showNote("something happened");
    await screen.releaseTerminal(async () => {});
    await moment();
    screen.stop();
    expect(terminal.written).toBe(written);
  });
});
