/** Tests the words that two texts share, in several scripts. */

import { describe, expect, test } from "vitest";
import { buildVocabulary, countSharedWords } from "../../src/summary/word-overlap.ts";

const shared = (text: string, other: string): number => countSharedWords(text, buildVocabulary(other)).shared;

describe("comparable words", () => {
  test.each([
    ["fix the login test", 2],
    ["a an it to go", 0],
    ["login login LOGIN Login", 1],
    ["port 212 or 64k or 3", 3],
    ["CheckoutPage", 3],
    ["登录测试", 3],
    ["テスト", 2],
    ["테스트를 확인", 2],
    ["", 0],
  ])("AUD4 %j has %i", (text, all) => {
    expect(countSharedWords(text, buildVocabulary("")).all).toBe(all);
  });
});

describe("shared words", () => {
  test.each([
    ["the same word", "fixed login", "login page", 1],
    ["another case and other accents", "CAFÉ Login", "cafe login", 2],
    ["other endings", "testing migrations", "tests migration", 2],
    ["a part of a longer word", "Datenbankmigration", "die Migration", 1],
    ["a longer word around it", "migration", "Datenbankmigration", 1],
    ["the parts of an identifier", "checkout page", "CheckoutPage", 2],
    ["an identifier and one of its parts", "CheckoutPage", "the checkout", 2],
    ["numbers", "limit 2000", "at most 2000", 1],
  ])("AUD4 are counted for %s", (_, text, other, count) => {
    expect(shared(text, other)).toBe(count);
  });

  test.each([
    ["apprentice", "approach"],
    ["login", "logout"],
    ["parser", "particle"],
    ["table", "stable"],
    ["2000", "2500"],
    ["the and for", "the and for"],
  ])("AUD4 %j has nothing in common with %j", (text, other) => {
    expect(shared(text, other)).toBe(0);
  });
});

describe("scripts", () => {
  test.each([
    ["German", "Die Anmeldung im Kundenportal reparieren", "bitte repariere die Anmeldung für das Kundenportal"],
    ["Spanish", "Arreglar la búsqueda de pedidos", "la busqueda de los pedidos no funciona"],
    ["French", "Réparer la connexion des employés", "la connexion des employes échoue"],
    ["Turkish", "Giriş testini düzelt", "giriş testi başarısız oluyor"],
    ["Russian", "Исправить проверку входа", "почини вход, проверка не проходит"],
    ["Ukrainian", "Виправити перевірку паролів", "перевірка пароля не працює, виправ"],
    ["Greek", "Διόρθωση της δοκιμής σύνδεσης", "η δοκιμή σύνδεσης αποτυγχάνει"],
    ["Chinese", "查明登录测试失败的原因", "登录测试有时候会失败，帮我查一下"],
    ["Japanese", "ログインのテストを直す", "ログインのテストが失敗する"],
    ["Japanese in Kanji", "認証処理の修正", "認証の処理を修正してください"],
    ["Korean", "로그인 테스트를 수정", "로그인 테스트가 실패해요"],
    ["Arabic", "إصلاح اختبار تسجيل الدخول", "اختبار تسجيل الدخول يفشل أحيانا"],
    ["Hebrew", "לתקן את בדיקת ההתחברות", "בדיקת ההתחברות נכשלת"],
    ["Hindi", "लॉगिन परीक्षण ठीक करना", "लॉगिन का परीक्षण विफल होता है"],
    ["Vietnamese", "Sửa kiểm thử đăng nhập", "kiểm thử đăng nhập bị lỗi"],
  ])("AUD4 a line in %s has two words or more in common with its message", (_, line, message) => {
    expect(shared(line, message)).toBeGreaterThanOrEqual(2);
  });

  test.each([
    ["German", "Die Rechnung wird monatlich verschickt", "bitte repariere die Anmeldung im Kundenportal"],
    ["Russian", "Удалить старые заказы", "почини вход, проверка не проходит"],
    ["Chinese", "删除旧订单", "登录测试有时候会失败"],
    ["Japanese", "注文を削除する", "ログインのテストが失敗する"],
    ["Korean", "주문을 삭제", "로그인 테스트가 실패해요"],
    ["Arabic", "حذف الطلبات القديمة", "اختبار تسجيل الدخول يفشل"],
    ["two scripts", "删除旧订单", "delete the old orders"],
  ])("AUD4 a line about something else has nothing in common with it: %s", (_, line, message) => {
    expect(shared(line, message)).toBe(0);
  });

  test("AUD4 words are compared in one Unicode form", () => {
    expect(shared("한국어 문서", "한국어 문서를".normalize("NFD"))).toBe(2);
    expect(shared("ﬁnished ｌｏｇｉｎ", "finished login")).toBe(2);
    expect(shared("ﾛｸﾞｲﾝ", "ログイン")).toBeGreaterThanOrEqual(2);
  });
});
