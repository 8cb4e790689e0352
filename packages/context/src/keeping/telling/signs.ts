/** Words by which people and programs say that something matters: that it went wrong, or that it binds. */

import { keysOf } from "./keys.ts";

/** Failures and warnings, by the keys of their words. */
export const TROUBLE: ReadonlySet<string> = keysIn(`
  error errors err fail fails failed failing failure failures warn warning warnings exception exceptions assert assertion
  panic fatal traceback refused denied timeout timeouts crash crashed crashes abort aborted corrupt corrupted conflict
  unable invalid missing
  fehler gescheitert fehlgeschlagen abgebrochen abbruch warnung absturz abgestürzt ungültig fehlt
  fallo falló fallos fallido fallida aviso advertencia inválido
  erreur échec avertissement erro falha aviso errore errori
  ошибка ошибки ошибку сбой сбоя 错误 失败 异常 警告 超时 崩溃 故障 エラー 失敗 例外 오류 실패 경고`);

/** Rules, decisions and reasons. */
export const BINDING: ReadonlySet<string> = keysIn(`
  must never always only shall should cannot require required requires forbidden allowed mandatory deadline owner owners
  until unless decide decided decision agree agreed choose chose chosen prefer prefers preferred because reason instead
  note important remember beware approved rejected todo fixme hack deprecated
  muss müssen darf dürfen nie niemals immer nur soll sollen sollte entschieden entscheidung beschlossen vereinbart weil grund
  stattdessen hinweis wichtig achtung verboten erlaubt genehmigt abgelehnt zuständig frist
  debe deben nunca siempre solo sólo decidió decidimos decisión acordó acordamos porque motivo nota importante ojo recuerda
  prohibido prohibida permitido permitida aprobado rechazado responsable plazo
  doit doivent jamais toujours seulement décidé décision convenu parce raison attention interdit obligatoire
  deve devem sempre somente decidimos decidiu proibido soltanto deciso vietato
  нельзя должен должна должны никогда всегда решили решение потому важно только
  必须 不要 不得 不能 禁止 决定 因为 原因 注意 重要 务必 始终 从不 绝不 改为 约定 只能 仅限 记住 同意 批准 截止 负责
  必ず 決定 べき のみ 반드시 금지 결정 때문 주의 중요 항상`);

function keysIn(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/).flatMap(keysOf));
}
