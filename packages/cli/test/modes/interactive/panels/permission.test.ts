/** Tests modes/interactive/panels/permission.ts: question panel, trust page. */

import { visibleWidth } from "@earendil-works/pi-tui";
import { parseRule, type Question, type Rule } from "@pith/agent";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type OpenPanel, openPanel } from "../../../../src/modes/interactive/panels/open-panel.ts";
import { type QuestionAnswer, questionPanel, trustPage } from "../../../../src/modes/interactive/panels/permission.ts";
import { themeNamed } from "../../../../src/modes/interactive/render/theme.ts";

describe("question panel", () => {
  const command = "npm run build && node dist/server.js";
  const question: Question = {
    tool: "bash",
    arguments: { command },
    intent: { type: "command", command, isConfined: false },
    text: `bash wants to run \`${command}\`, not in a sandbox.`,
    rules: [rule("bash(npm run build)"), rule("bash(npm run:*)")],
  };

  const sight = { width: 80, height: 24, theme: themeNamed("none") };

  function rule(text: string): Rule {
    const parsed = parseRule(text);
    if (parsed.type !== "rule") throw new Error(parsed.message);
    return parsed.rule;
  }

  interface Opened {
    readonly panel: OpenPanel;
    readonly answer: Promise<QuestionAnswer | null>;
  }

  function opened(asked: Question = question, quietMs = 0): Opened {
    const matter = { kind: "command", command } as const;
    const panel = openPanel(questionPanel({ question: asked, matter, quietMs }), {
      where: "inline",
      changed: () => {},
    });
    return { panel, answer: panel.answer };
  }

  async function answerTo(keys: readonly string[], asked: Question = question): Promise<QuestionAnswer | null> {
    const { panel, answer } = opened(asked);
    for (const key of keys) panel.press(key);
    return await answer;
  }

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("MAN1 a question is answered by a key or by walking: yes, yes and remember it, no, no with a word", async () => {
    const [narrow, wide] = question.rules;
    expect(await answerTo(["y"])).toEqual({ type: "yes" });
    expect(await answerTo(["enter"])).toEqual({ type: "yes" });
    expect(await answerTo(["s"])).toEqual({ type: "yes", remember: { rule: narrow, for: "session" } });
    expect(await answerTo(["right", "p"])).toEqual({ type: "yes", remember: { rule: wide, for: "project" } });
    expect(await answerTo(["right", "right", "left", "s"])).toMatchObject({ remember: { rule: narrow } });
    expect(await answerTo(["down", "down", "down", "enter"])).toEqual({ type: "no" });
    expect(await answerTo(["w", ..."use pnpm".split(""), "enter"])).toEqual({ type: "no", word: "use pnpm" });
    expect(await answerTo(["w", "enter"])).toEqual({ type: "no" });
    expect(await answerTo(["escape"])).toBe(null);
  });

  test("PERM31 about a connection the host and the command are shown once, and a yes says what it allows and for how long", async () => {
    const intent = { type: "network", host: "example.com", port: 443, command } as const;
    const text = `\`${command}\` wants to connect to example.com.`;
    const asked: Question = { ...question, intent, text, rules: [rule("network(example.com)")], yesLasts: "session" };
    const lines = opened(asked).panel.draw(sight).join("\n");
    expect(lines).toContain("This command wants to connect to example.com.");
    expect(lines.split(command)).toHaveLength(2);
    expect(lines).toContain("Yes, this host for this session (y)");
    expect(lines).not.toContain("in this session always");
    expect(await answerTo(["y"], asked)).toEqual({ type: "yes" });
    expect(await answerTo(["p"], asked)).toEqual({ type: "yes", remember: { rule: asked.rules[0], for: "project" } });
  });

  test("MAN1 whoever goes back from a word is asked as before", async () => {
    expect(await answerTo(["w", "y", "escape", "y"])).toEqual({ type: "yes" });
  });

  test("MAN1 where no rule is offered nothing can be remembered", async () => {
    const bare = { ...question, rules: [] };
    const { panel } = opened(bare);
    expect(panel.draw(sight).join("\n")).not.toMatch(/always|another rule/);
    expect(await answerTo(["s", "p", "n"], bare)).toEqual({ type: "no" });
  });

  test("MAN2 the whole command is shown, wrapped, and what is too long is opened on a page", async () => {
    const { panel, answer } = opened();
    expect(panel.draw({ ...sight, width: 40 }).join("\n")).toContain("$ npm run build && node dist/server.js");
    const long = Array.from({ length: 200 }, (_, at) => `step ${at}`).join("\n");
    const matter = { kind: "command", command: long } as const;
    const lines = questionPanel({ question, matter, quietMs: 0 }).draw(
      { walk: { at: 0, top: 0 }, rule: 0, word: null, isHeard: true, early: 0, isTyping: false },
      sight,
    );
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.join("\n")).toMatch(
      /step 0[\s\S]*… \d+ more lines, Tab shows all[\s\S]*step 199[\s\S]*Esc: no, and stop/,
    );
    panel.press("tab");
    expect(await answer).toMatchObject({ type: "whole", at: { rule: 0 } });
  });

  test("MAN3 what is still being typed when a question comes up answers nothing", async () => {
    const { panel, answer } = opened(question, 700);
    panel.press("y");
    await vi.advanceTimersByTimeAsync(500);
    panel.press("e");
    panel.press("enter");
    await vi.advanceTimersByTimeAsync(650);
    panel.press("s");
    await vi.advanceTimersByTimeAsync(701);
    panel.press("n");
    expect(await answer).toEqual({ type: "no" });
  });

  test("MAN3 whoever types goes on typing: what comes early is for the editor, and it is said", async () => {
    const matter = { kind: "command", command } as const;
    const parts = { question, matter, quietMs: 700, isTyping: true };
    const panel = openPanel(questionPanel(parts), { where: "inline", changed: () => {} });
    expect(panel.draw(sight).at(-1)).toContain("Keys answer as soon as you have stopped typing");
    expect(["y", "enter"].map((key) => panel.press(key))).toEqual(["typing", "typing"]);
    await vi.advanceTimersByTimeAsync(701);
    expect(panel.draw(sight).at(-1)).toContain("Enter answers");
    expect(panel.press("y")).toBe("used");
    expect(await panel.answer).toEqual({ type: "yes" });
  });

  test("MAN3 a letter that comes before anybody can have read the question is for the editor, other keys are for nobody", async () => {
    const { panel, answer } = opened(question, 300);
    expect(panel.press("enter")).toBe("used");
    await vi.advanceTimersByTimeAsync(299);
    expect(["w", "h", "y", "enter"].map((key) => panel.press(key))).toEqual(Array(4).fill("typing"));
    await vi.advanceTimersByTimeAsync(701);
    panel.press("n");
    expect(await answer).toEqual({ type: "no" });
  });

  test("MAN3 Escape is heard at once", async () => {
    const { panel, answer } = opened(question, 700);
    panel.press("escape");
    expect(await answer).toBe(null);
  });

  test("MAN2 the rule that would hold is read to its end, and which answer is which is seen in a narrow terminal", () => {
    const long = { ...question, rules: [rule(`bash(${"npm run build -- --with=everything ".repeat(3).trim()})`)] };
    const { panel } = opened(long);
    panel.press("down");
    for (const width of [40, 60]) {
      const lines = panel.draw({ ...sight, width });
      for (const line of lines) expect(visibleWidth(line)).toBeLessThanOrEqual(width);
      const text = lines.join("\n");
      expect(text).toMatch(
        /Yes, and in this session always[\s\S]*everything\)[\s\S]*\(s\)[\s\S]*Yes, and in this project/,
      );
      expect(text).toMatch(/\(p\)[\s\S]*\(n\)[\s\S]*\(w\)/);
    }
  });

  test("MAN2 a long sentence takes no answer away", () => {
    const long = { ...question, intent: null, text: `edit wants to change ${"a/very/long/path/".repeat(20)}.` };
    const matter = { kind: "other", text: "one\ntwo" } as const;
    const panel = openPanel(questionPanel({ question: long, matter }), { where: "inline", changed: () => {} });
    const lines = panel.draw({ ...sight, width: 40, height: 10 });
    expect(lines.length).toBeLessThanOrEqual(10);
    expect(lines.join("\n")).toMatch(/Yes \(y\)[\s\S]*\(w\)[\s\S]*Enter answers/);
  });

  test("MAN2 a long reason is seen where one types it", () => {
    const { panel } = opened();
    for (const key of ["w", ..."because it would take the whole afternoon and more".split(""), "!"]) panel.press(key);
    const lines = panel.draw({ ...sight, width: 40 });
    for (const line of lines) expect(visibleWidth(line)).toBeLessThanOrEqual(40);
    expect(lines.join("\n")).toContain("more!");
  });

  test("MAN2 in a low terminal the sentence and the command are still seen", () => {
    for (const height of [8, 10, 12]) {
      const lines = opened().panel.draw({ ...sight, height });
      expect(lines.length).toBeLessThanOrEqual(height);
      expect(lines.join("\n")).toMatch(
        /bash wants to run this[\s\S]*npm run build && node[\s\S]*Yes \(y\)[\s\S]*No \(n\)/,
      );
    }
  });
});

describe("trust page", () => {
  test("MAN8 all three answers are seen in any terminal", () => {
    const panel = openPanel(trustPage(".pith/settings.json\n".repeat(40)), { where: "page", changed: () => {} });
    for (const [width, height] of [
      [140, 40],
      [60, 16],
      [40, 12],
    ] as const) {
      const lines = panel.draw({ width, height, theme: themeNamed("none") });
      expect(lines.length).toBe(height);
      for (const line of lines) expect(visibleWidth(line)).toBeLessThanOrEqual(width);
      expect(lines.join("\n")).toMatch(/No \(n\)[\s\S]*Only this time \(o\)[\s\S]*Yes, as it is now \(y\)/);
    }
  });
});
