/** Proves which words of a text carry what it says, and what each is found again by. */

import { expect, test } from "vitest";
import { keysOf, unitsOf, weightOf } from "../../../src/summary/claims/units.ts";

const shown = (text: string): string =>
  unitsOf(text)
    .map(({ keys, weight, isExact }) => `${keys.join("/")}${isExact ? "!" : ""}*${weight}`)
    .join(" ");

test.each([
  ["please fix the login", "login/=login*1"],
  ["Login", "login/=login*1"],
  ["the Login", "login/=login*2"],
  ["use PostgreSQL", "=postgresql/postg*2"],
  ["call getUser and max_size", "cal/=call*1 =getuser!*2 =max_size!*2"],
  ["3 retries in 500ms", "=3!*2 retr/=retries*1 =500!*2 ms/=ms*1"],
  ["t3 --json", "=t3*2 =--json!*2"],
  ["before lunch", "befor*0 lunch/=lunch*1"],
  ["umbauen", "umbau/=umbauen/bau*1"],
  ["Benutzerverwaltung", "benut/=benutzerverwaltung*1"],
  ["登录", "登录*0.5 登录*0.5"],
  ["登录的测试", "登录*0.5 登录*0.5 测试*0.5 测试*0.5"],
  ["登录吧测试题", "登录*0.5 登录*0.5 测试*0.5 测试/试题*0.5 试题*0.5"],
  ["改", "改*0.5"],
  ["テストを直す", "テス*0.5 テス/スト*0.5 スト*0.5 直*0.5"],
  ["테스트 를", "테스*0.5 테스/스트*0.5 스트*0.5"],
  ["the and of a", ""],
])("AUD4 %j", (text, units) => {
  expect(shown(text)).toBe(units);
});

test("AUD4 they weigh by script, and are found by all their keys", () => {
  const units = unitsOf("the Login 登录");
  expect(weightOf(units)).toBe(3);
  expect(weightOf(units, { words: 0.5, joined: 0.1 })).toBeCloseTo(1.1);
  expect([...keysOf(units)]).toEqual(["login", "=login", "登录", "登", "录"]);
});
