/** Lists stop words, tone words, harmful actions, contraries and other spellings, per language. */

import { foldAccents } from "../../text/sanitize.ts";
import { stem } from "./lexicon.ts";

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
  return new Set(lists.flatMap((list) => foldAccents(list).split(/\s+/)));
}

export const toneWords = {
  /** What is not so. */
  denying: `not no cannot can't couldn't doesn't didn't did_not isn't aren't wasn't weren't won't wouldn't hasn't
    haven't nothing nobody none (?<![是能要会可好])不(?![同仅过错久断良]) 没 未(?![来]) ない なし ません (?<![まはき必])ず(?!つ) 않 못 없 안_`,

  /** Not so, or must not be: some languages say both alike. */
  refusing:
    "nicht kein* nichts weder niet geen nie inte không đừng मत नहीं لا אל μην δεν ni ningún* nada tampoco ne pas aucun* rien não nem nenhum* non nessun* не нет ни",

  /** The same in English. */
  declining: "don't dont do_not",

  /** Then it is rather not so. */
  stating: `is are was were has have had work works working know understand see think remember exist exists seem seems
    gibt hat haben ist sind war waren läuft laufen geht gehen funktioniert funktionieren klappt kommt kommen wird weiß
    verstehe hay está están es son tiene funciona funcionan va van sale aparece entiendo est sont marche fonctionne
    comprends há tem são funciona funcionam entendo работает работают есть был было понимаю знаю`,

  /** Must not be, wherever it stands. */
  prohibiting: `never nor neither must_not mustn't should_not shouldn't may_not avoid* forbid* forbad* prohibit*
    refrain* instead_of rather_than off_limits hands_off stop_using stop_adding stop_doing stop_making stop_writing
    stop_calling stop_putting nie niemals auf_keinen_fall verboten verbiet* vermeid* statt anstatt nunca jamás evit*
    prohib* prohíb* en_vez_de en_lugar_de jamais interdi* au_lieu plutôt_que proib* em_vez_de ao_invés mai никогда
    нельзя запре* избега* вместо 不要 (?<![特区类级性分识鉴差告])别(?![的人名处墅]) 勿 禁止 禁用 不准 不许 不得 避免 而不是 而非 ないで ないこと 禁じ 避け ずに ではなく 말고
    마세요 말아 말_것 지_?마 금지 대신`,

  /** Must not be, where a clause begins with it. */
  openingNo: "no not none nicht kein* nichts ne pas não nem не ни",

  /** A no in the shape of a yes. */
  soft: `without leave leaving left unchanged untouched intact alone as_is ohne lass* unverändert unberührt sin dejar
    deja sin_cambios sans laiss* intact sem deixar без оставь оставить 保持 不变 无 そのまま 残 그대로`,

  /** Something fails, or is not all. */
  lacking: `only except exclud* fail* stop* broken missing lack* nur außer fehl* kaputt solo falla* salvo falta* sauf
    seulement échou* manqu* apenas exceto falh* falta* только кроме пада* сломан* 仅 只 除了 失败 缺 のみ だけ 以外 失敗 만_ 외에 실패`,

  /** A question, or it depends on something. */
  hedging: `if unless until before when once after whether ask* confirm* only_if provided_that what why how wenn falls
    bevor erst sobald solange frag* nachfrag* rückfrag* rücksprache ob warum si cuando antes hasta pregunt* consult*
    por_qué quand avant jusqu* demande_moi demander pourquoi caso quando até pergunt* если когда прежде пока спрос*
    спраш* почему зачем 如果 若 除非 之前 以前 先问 问我 询问 确认后 再说 为什么 怎么 吗 もし 前に までは たら なら 聞い 尋ね 確認して なぜ 면_ 전에 까지 물어 왜`,

  /** Where a clause begins with it, what stands beside that clause depends on it. */
  condition: `if unless until before when once after wenn falls bevor sobald si cuando antes quand avant caso quando
    если когда прежде 如果 若 除非 もし`,

  /** What a person says who consents. */
  agreeing: `go_ahead go_for_it do_it approv* allow* permi* agree* authori* consent*
    accept* sounds_good lgtm you_may you_can feel_free please_do confirmed
    gern* mach einverstanden genehmig* freigeg* freigeb* erlaub* darfst dürft passt stimme_zu
    adelante de_acuerdo aprob* aprueb* autoriz* permit* accord vas_y approuv* autoris*
    pode aprov* concord* разреш* одобр* можно соглас* давай 好 可以 行 同意 批准 允许 准许 没问题 はい 了解
    いい よい 良い 承認 許可 どうぞ 同意 네 예 좋 승인 허가 허락 동의 괜찮`,

  /** The same where a clause begins with it. */
  assenting: `yes yep yeah y ok okay sure ja jo klar sí si vale claro oui sim да ок окей sì tak evet`,

  /** The same where nothing else is said. */
  praising: `fine correct right good great perfect gut bien perfecto bon parfait certo хорошо`,

  /** What is said of a person who is said to have consented. */
  consenting: `approved approves approval* authorised authorized authorises authorizes authoris* authoriz* permission*
    permitted consented consents consent allowed agreed agrees pre_approv* preapprov* green_light* greenlit green_lit
    go_ahead signed_off sign_off sanctioned okayed granted cleared_to waived genehmigt genehmigung freigegeben
    freigabe erlaubt erlaubnis einverständ* einverstanden zugestimmt stimmte_zu zustimmung bewilligt autorisiert
    aprobó aprobad* aprobación autorizó autorizad* autorización permiso permitid* permitió consinti* consentimiento
    visto_bueno aceptó approuvé* autorisé* autorisation permis feu_vert accord_donné aprovou aprovad* aprovação
    permissão sinal_verde concordou одобрил* одобрен* разрешил* разрешен* согласил* согласен согласие утвержд*
    утвердил* 批准 授权 同意 允许 许可 准许 准予 認可 承認 許可 同意 了承 승인 허가 허락 동의 인가`,

  /** Where a clause begins with it, it goes on from none before. */
  subject: `i we you it that this they he she there which es wir ich dies eso esto yo ce cela nous on isso isto eu ele
    это я мы он она 我 这 那 它 それ これ 그`,

  /** What a clause may begin with before it begins. */
  filler: "and but only also please und aber nur auch bitte y pero solo et mais e mas и но",
} as const;

export const graveWords = {
  deleting: `delete* deleti* remov* drop dropp* drops erase* erasing wipe* wiping purg* discard* destroy* rm get_rid
    throw_away throw_out lösch* gelösch* entfern* verwerf* verworfen wegwerfen borr* elimin* suprim* descart* supprim*
    effac* retir* apag* exclu* удал* стер* стира* убер* убрать 删除 删掉 删去 移除 清空 清除 去掉 丢弃 削除 消去 消し
    破棄 除去 삭제 제거 지우 지워`,
  pushing: "push* pouss* запуш* пуш* 推送 プッシュ 푸시",
  forcing: `force forced forcing forcib* zwing* erzwing* erzwung* forzar* fuerz* forz* forcer forçar принуд* форс* 强制
    强推 強制 강제`,
  deploying: `deploy* roll_out rollout go_live ausroll* despleg* desplieg* déploy* implant* деплой* задепло* разверн*
    выкат* 部署 上线 デプロイ 配備 배포`,
  production: `production prod live_system produktion* produktiv* producción produção продакшн* продакшен* прод 生产环境
    生产 线上 本番 프로덕션 운영 운영환경`,
  publishing: `publish* releas* ship ships shipp* veröffentlich* publicar publique publica publier publié* lanzar*
    lançar* опублик* публик* зарелиз* 发布 公開 リリース 게시 출시`,
  sending: `send* sent email* e_mail* mail* post_to tweet* notify* notif* schick* gesendet verschick* sende* versend*
    enviar* envía envíe envió mandar mande manda envoyer* envoie envoyé отправ* пошли* послать пошлю 发送 发给 发邮件 邮件 送信
    送って メール 통지 보내 전송 이메일`,
  paying: `pay pays paying paid payment* purchas* buy buys buyin* bought charge charged charging refund* transfer*
    bezahl* zahlung* kaufe* gekauft überweis* pagar pague paga comprar compre payer payé achet* плати* платеж* оплат*
    заплат* купи* 支付 付款 购买 转账 退款 支払 購入 送金 返金 결제 지불 구매 송금 환불`,
  skipping: `skip* bypass* ignor* disabl* turn_off turning_off switch_off deactivat* suppress* mute* overspring*
    übersprung* überspring* ignorier* deaktivier* abschalt* ausschalt* umgeh* omit* saltar* salte sáltate desactiv*
    deshabilit* sauter saute contourn* désactiv* pular pule desativ* desabilit* пропус* пропуст* игнор* отключ* обойти
    обход* 跳过 忽略 禁用 关闭 绕过 停用 スキップ 無視 無効 飛ばし 회피 건너뛰 무시 비활성`,
  merging: "merge* merging zusammenführ* fusion* mescl* слия* смерж* мерж* 合并 マージ 병합 머지",
  committing: "commit* committ* einchecken коммит* закоммит* 提交 コミット 커밋",
  undoing: `overwrit* reset* revert* rollback* roll_back rolled_back truncat* rebas* squash* amend* überschreib*
    zurücksetz* zurückroll* sobrescrib* reinici* restablec* reverti* écras* réinitialis* sobrescrev* перезапис* сброс*
    откат* 覆盖 重置 回滚 还原 上書き リセット 巻き戻 덮어 초기화 되돌`,
  rewriting: "rewrit* rewrote umschreib* neuschreib* reescrib* réécri* reescrev* перепис* 重写 重构 書き直 재작성",
  killing: `kill* terminat* shut_down shutdown abschieß* beende* herunterfahr* matar* apagar détrui* encerr* убить
    остановить 终止 杀掉 关机 停止 終了 종료`,
  revealing: `expos* leak* password* passwor* secret* credential* api_key* passw* geheim* zugangsdaten contraseñ*
    secreto* identifiants mot_de_passe senha* парол* секрет* 密码 密钥 凭证 泄露 パスワード 秘密 認証情報 비밀번호 비밀 자격증명`,
  installing: "install* installier* instal* установ* 安装 インストール 설치",
  unasked: `without_asking without_confirm* without_approval without_review without_check* no_confirmation no_approval
    no_need_to_ask no_questions ohne_rückfrage* ohne_nachfrag* ohne_zu_fragen ohne_bestätigung sin_preguntar
    sin_confirm* sin_consult* sans_demander sans_confirm* sem_perguntar sem_confirm* без_подтвержд* не_спрашивая 不用问
    无需确认 不必确认 无需询问 不经确认 直接执行 無断 確認なし 聞かずに 묻지_?않 확인_?없이`,
} as const;

const PAIRS = `above/below before/after enable/disable increase/decrease more/less left/right minimum/maximum
  first/last top/bottom public/private open/close allow/deny tabs/spaces dark/light sync/async client/server
  upgrade/downgrade include/exclude start/stop synchronous/asynchronous accept/reject local/remote internal/external
  ascending/descending horizontal/vertical require/optional staging/production read/write review/approve mobile/desktop oben/unten
  vorher/nachher öffentlich/privat hell/dunkel erhöhen/verringern lokal/entfernt links/rechts arriba/abajo
  antes/después público/privado claro/oscuro aumentar/reducir local/remoto izquierda/derecha avant/après public/privé
  clair/sombre gauche/droite antes/depois claro/escuro esquerda/direita выше/ниже слева/справа светлая/темная 增加/减少
  之前/之后 公开/私有 开启/关闭 左边/右边 浅色/深色 本地/远程 最大/最小 同步/异步 上/下 増/減 公開/非公開 左/右 밝은/어두운 왼쪽/오른쪽`;

export const hasContrary = (key: string): boolean => contraries.has(key);

/** By the key of a unit. */
export function contrariesOf(key: string): readonly string[] {
  return contraries.get(key) ?? [];
}

const contraries: ReadonlyMap<string, readonly string[]> = byKey(
  PAIRS.split(/\s+/).flatMap((pair) => {
    const [one = "", other = ""] = pair.split("/").map((word) => stem(foldAccents(word)));
    return [
      { key: one, contrary: other },
      { key: other, contrary: one },
    ];
  }),
);

function byKey(
  pairs: readonly { readonly key: string; readonly contrary: string }[],
): ReadonlyMap<string, readonly string[]> {
  const groups = Map.groupBy(pairs, ({ key }) => key);
  return new Map([...groups].map(([key, same]) => [key, same.map(({ contrary }) => contrary)]));
}

/** Further keys of a unit, under which the other spelling is found. */
export function otherSpelling(word: string): readonly string[] {
  return spellings.get(word) ?? [];
}

/** From two on: `one` is an article in most of them. */
const NUMBERS: readonly string[] = [
  "two three four five six seven eight nine ten eleven twelve",
  "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
  "dos tres cuatro cinco seis siete ocho nueve diez once doce",
  "deux trois quatre cinq six sept huit neuf dix onze douze",
];

const SHORT = "deps/dependencies dep/dependency config/configuration docs/documentation repo/repository db/database";

const spellings: ReadonlyMap<string, readonly string[]> = new Map([
  ...NUMBERS.flatMap((list) =>
    foldAccents(list)
      .split(" ")
      .map((word, at): [string, readonly string[]] => [word, [`=${at + 2}`]]),
  ),
  ...SHORT.split(" ").flatMap((pair): readonly [string, readonly string[]][] => {
    const [short = "", long = ""] = pair.split("/");
    return [
      [short, [stem(long)]],
      [long, [stem(short)]],
    ];
  }),
]);
