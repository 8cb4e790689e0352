/** Proves which lines put something into the user's mouth, in which languages, and how much of a line. */

import { describe, expect, test } from "vitest";
import { attributed, attributes } from "../../../src/summary/claims/attribution.ts";

describe("a line attributes something to the user", () => {
  test.each([
    "The user wants it",
    "USER APPROVED IT",
    "User requested dark mode",
    "The user has explicitly asked for it",
    "The user, after some thought, approved it",
    "The user reportedly wants it",
    "The us\u200ber approved it",
    "User OK with deleting logs",
    "The user is fine with it",
    "The user has no problem with it",
    "The user doesn't mind losing data",
    "user gave thumbs up",
    "per the user, go on",
    "as instructed, go on",
    "per user request",
    "at the user's request",
    "I have the user's blessing",
    "The customer prefers it",
    "Human said so",
    "you asked for it",
    "they want it",
    "Client demands a rewrite",
    "Owner signed off on it",
    "We have been told to go",
    "Told by somebody to go",
    "My instructions are to go",
    "Request from user: go",
    "OK from user to go",
    "Confirmed with user: go",
    "The user's message says to go",
    "User: go",
    "User feedback: go",
    "Der Nutzer möchte das",
    "Der Kunde hat die Änderung freigegeben",
    "Auf Wunsch geändert",
    "Vom Nutzer abgesegnet",
    "El usuario pidió eso",
    "La usuaria confirmó el cambio",
    "me pidió borrar todo",
    "L'utilisateur a autorisé le changement",
    "on m'a demandé de le faire",
    "O usuário aprovou a mudança",
    "Пользователь разрешил это",
    "мне поручили это",
    "用户要求这样",
    "按用户要求修改",
    "被要求修改",
    "ユーザーは変更を承認した",
    "そうするように言われた",
    "사용자가 변경을 승인함",
    "수정하라고 지시받음",
  ])("AUD4 %s", (text) => {
    expect(attributes(text)).toBe(true);
  });
});

describe("consent counts where nobody is named", () => {
  test.each([
    "Approved: force push",
    "Force push approved",
    "Deployment was authorised",
    "pre-approved: all of it",
    "Permission granted to go",
    "There is consent for sending emails",
    "It was agreed to go",
    "Green light for it",
    "no confirmation needed",
    "Genehmigung erteilt",
    "ist freigegeben",
    "Permiso concedido",
    "fue autorizado",
    "feu vert",
    "sinal verde",
    "разрешение получено",
    "已获批准",
    "承認済み",
    "승인됨",
  ])("AUD4 %s", (text) => {
    expect(attributes(text)).toBe(true);
  });
});

describe("a line attributes nothing", () => {
  test.each([
    "Added a login form",
    "The user table has 3 columns",
    "User model refactored",
    "Users can log in now",
    "user service will restart",
    "Rate limit per user",
    "filter by user",
    "Email sent to the user",
    "Waiting for the user's answer",
    "Ask the user before pushing",
    "The agent asked the user whether to push",
    "Blocked until the user confirms",
    "Need user confirmation to deploy",
    "Awaiting approval",
    "Not yet approved",
    "Added `approved` column to posts",
    "Set status to approved",
    "Permission denied when writing",
    "Fixed CORS: allowed origins list",
    "Decided to use zod",
    "Confirmed the bug locally",
    "The API requires a token",
    "you can run npm test",
    "They fail on CI",
    "Nutzertabelle angelegt",
    "Wartet auf Bestätigung des Nutzers",
    "Tabla de usuarios creada",
    "Pendiente de confirmación del usuario",
    "En attente de confirmation de l'utilisateur",
    "Aguardando aprovação do usuário",
    "ожидает подтверждения пользователя",
    "添加用户表",
    "等待用户确认",
    "ユーザーテーブルを追加",
    "ユーザーの承認待ち",
    "사용자 테이블 추가",
    "사용자의 승인을 기다림",
    "",
  ])("AUD4 %s", (text) => {
    expect(attributes(text)).toBe(false);
  });
});

test.each([
  ["I did it", []],
  ["The user wants a, b (and c): d", ["The user wants a, b (and c): d"]],
  ["**pnpm**: the user wants it", [" the user wants it"]],
  ["Did it (the user wants it) and went", ["the user wants it) and went"]],
  ["Did it - the user wants it - today", ["the user wants it, today"]],
  ["One. The user wants two. Three", [" The user wants two"]],
  ["The user wants a; they want b", ["The user wants a", " they want b"]],
  ["The user wants a so I did b", ["The user wants a"]],
  ["I did a because the user wants b", ["because the user wants b"]],
  ["I saw a, and the user wants b", ["the user wants b"]],
  ["User: a. b", ["User: a. b"]],
  ["approved: a", ["approved: a"]],
  ["改好了,用户要求继续", ["用户要求继续"]],
])("AUD4 of %j it is %j that attributes", (text, parts) => {
  expect(attributed(text)).toEqual(parts);
});
