/** Words that carry nothing by themselves: what sentences are built with, and what every summary says of every request. */

import { folded } from "../comparing/folded.ts";
import { stem } from "../comparing/stem.ts";

export function isPlain(word: string): boolean {
  return word.length === 1 || stopWords.has(word) || (word.length <= LONGEST && frameStems.has(stem(word)));
}

/** What is longer is a compound, and says more than its beginning. */
const LONGEST = 13;

const stopWords: ReadonlySet<string> = words(
  `a an the this that these those it its i me my we us our you your he she they them their who whom which what when
  where why how and or but if so as at by for from in into of off on onto out over to under up down with within about
  after before between during through than then there here be is are was were been being am do does did done doing
  have has had having can could will would shall should may might must not no nor never none nothing without don doesn
  didn isn aren wasn weren won wouldn shouldn couldn can cannot hasn haven ll re ve t s m d also just only even still
  yet too very more most some any all each every both either other others such own same again once while until since
  because per via let ok okay etc earlier above already message chat himself herself themselves itself yourself`,
  `der die das den dem des ein eine einen einem einer eines und oder aber wenn dass als auch an auf aus bei bis durch
  fur gegen im in ins ist sind war waren sein wird werden wurde wurden worden hat haben hatte ich du er sie es wir ihr
  mich dir mir uns euch ihm ihn ihnen sich mein dein sein kein keine keinen keiner nicht nie niemals nichts noch nur
  schon sehr so mit nach ohne seit uber um unter vom von vor zu zum zur zwischen was wer wie wo warum welche welcher
  dieser diese dieses jede jeder jedes alle alles bitte doch mal dann da hier soll sollen sollte muss mussen kann
  konnen darf durfen will wollen mochte am beim dort damit dafur daran darauf dabei selbst bereits`,
  `el la los las un una unos unas y e o u pero si que como cuando donde porque de del al a ante con en entre para por
  sin sobre hasta desde es son era fue ser estar esta estan este esto estos estas ese eso esa yo tu el ella nosotros
  ellos me te se le les lo mi su sus no ni nunca nada ya muy mas menos tambien solo todo toda todos todas hay ha han
  he debe deben puede pueden`,
  `le la les un une des du de d l et ou mais si que qui quoi dont ou quand comme pour par sur sous dans avec sans chez
  entre vers est sont etait etre ete ai as a avons ont avoir je tu il elle on nous vous ils elles me te se ce cet
  cette ces mon ma mes ton ta son sa ses leur leurs ne pas jamais rien plus tres aussi tout toute tous toutes y en au
  aux doit doivent peut peuvent n c s j qu`,
  `o os as um uma uns umas e ou mas se que como quando onde porque de do da dos das no na nos nas em por para pelo
  pela com sem sobre ate desde sao era foi ser estar esta estao este esta isso isto eu ele ela eles elas me te lhe meu
  minha seu sua nao nem nunca nada ja muito mais menos tambem so todo toda todos todas ha tem deve devem pode podem ao
  aos`,
  `и или но а если что чтобы как когда где потому в во на с со к ко у о об от до за из по под при про для без над
  между не ни нет никогда ничего это этот эта эти тот та те он она оно они я ты мы вы мне меня его ее их нас вас мои
  твои свои бы же ли уже еще только также все всех весь вся быть есть был была было были будет надо нужно можно должен
  должна должны так`,
);

const frameStems: ReadonlySet<string> = new Set(
  [
    ...words(
      `user customer human person want wish like ask request require requirement need please goal task work project
      session issue problem bug error fail failure failing broken flaky fix solve resolve address handle make ensure
      sure use implement add create write provide support improve update change modify adjust set get give take put
      show keep continue start begin go look investigate find check see help able correct correctly proper properly
      existing exist current currently new follow following prefer preference constraint instruction explicit
      explicitly code file function feature functionality behaviour behavior implementation related specific available
      approach way thing something case part side say said tell told decide decision confirm note mention insist state
      clear clearly now currently later further additional additionally entire whole overall regarding concerning
      whether avoid instead rather always ever agree agreed`,
      `nutzer benutzer anwender kunde aufgabe ziel wunsch wunscht wunschen gewunscht mochte wollen will bitten bat
      gebeten bittet fehler problem beheben behebung behoben korrigieren machen gemacht umsetzen umsetzung
      implementieren hinzufugen erstellen schreiben verwenden verwendet nutzen benutzen andern anderung anpassen datei
      funktion sicherstellen stellen bevorzugt entscheidung sagen sagte gesagt weiter neu neue bestehende aktuell
      vermeiden immer stets anforderung vorgabe nehmen nimm nimmt kommen kommt vorhanden gehen geht geben gibt bleiben
      bleibt brauchen braucht gebraucht lassen`,
      `usuario usuaria cliente tarea objetivo quiere querer desea pide pidio pedir solicita solicitud necesita
      arreglar corregir solucionar error fallo problema hacer usar utilizar anadir agregar crear escribir implementar
      cambiar modificar actualizar mejorar archivo funcion codigo nuevo actual existente siempre evitar asegurar
      prefiere preferencia decision dijo indica`,
      `utilisateur utilisatrice tache objectif veut vouloir souhaite demande demander besoin corriger resoudre reparer
      erreur bogue probleme faire utiliser ajouter creer ecrire implementer changer modifier ameliorer fichier
      fonction code nouveau nouvelle actuel existant toujours eviter assurer prefere preference decision dit`,
      `usuario utilizador tarefa quer querer deseja pede pediu pedido solicita precisa corrigir consertar resolver
      erro falha problema fazer usar adicionar criar escrever implementar mudar alterar modificar atualizar melhorar
      arquivo ficheiro funcao codigo novo atual sempre evitar garantir prefere preferencia decisao disse`,
      `пользователь заказчик задача цель хочет хотел просит попросил просьба требует нужен нужна исправить исправление
      ошибка проблема сделать использовать добавить создать написать реализовать изменить обновить улучшить фаил
      функция код новыи текущии всегда избегать предпочитает решение сказал`,
    ),
  ].map(stem),
);

/** The same for scripts without spaces, as a pattern for folded text. */
export const joinedFrames: RegExp = new RegExp(
  [
    `用户 客户 使用者 要求 希望 需要 想要 请求 任务 目标 问题 错误 修复 解决 实现 添加 增加 创建 编写 使用 修改 更新 改进 文件 函数 代码
    功能 确保 保证 必须 应该 应当 可以 能够 以及 并且 或者 如果 因为 所以 但是 不要 始终 总是 目前 当前 现有 新的 相关 进行 一下 一个
    我们 你们 他们 我 你 您 他 她 它 们 这 那 的 了 是 在 和 与 及 把 将 并 也 都 就 请 要 会 有 对 为 给 让 被 从 到 中 里 后 时
    吗 呢 吧 啊 个 别 不 没 想 说`,
    "ユーザー? 利用者 依頼 要望 必要 問題 修正 追加 作成 実装 使用 変更 更新 対応 場合 現在 私 常 行 使 用",
    `사용자 고객 요청 요구 필요 문제 오류 수정 추가 작성 구현 사용 변경 업데이트 해주세요 해줘 주세요 합니다 한다 하기 하고 해야
    입니다 있는 있다 없이 항상 원함 원한다 원합니다`,
  ]
    .join(" ")
    .replaceAll(/\s+/g, "|"),
  "gu",
);

function words(...lists: readonly string[]): ReadonlySet<string> {
  return new Set(lists.flatMap((list) => folded(list).split(/\s+/)));
}
