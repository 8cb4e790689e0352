/** Lists the words with which summaries attribute something to the user, per language. */

import { anyOf } from "./lexicon.ts";

export interface Attributing {
  /** Who speaks. */
  readonly who: string;
  /** What they do, right after, with no more than such words between. */
  readonly does: string;
  readonly between: string;
  /** Set phrases that need nobody. */
  readonly phrases: string;
}

const OTHER = "[^\\s,]+";

/** Pronouns, which may stand for anything, and what only people do. */
const somebody: Attributing = {
  who: "you they he she",
  between: "also has had have explicitly clearly already then just did",
  does: `asked want wants wanted said told approved authorised authorized confirmed agreed allowed insisted insists
    instructed requested decided prefer prefers preferred gave granted consented permitted pre-approved demanded`,
  phrases: "your_request your_approval your_permission your_instruction* your_decision",
};

/** Others who may order something, and what only people do. */
const somebodyElse: Attributing = {
  ...somebody,
  who: "client boss manager owner lead developer maintainer colleague reviewer user's_message user's_reply user's_comment user's_note",
  does: `${somebody.does} wants demands insists says approves asks`,
  phrases: `told_by asked_by instructed_by ordered_by my_instructions my_orders our_instructions request_from_the_user
    request_from_user instruction_from_the_user instructions_from_the_user order_from_the_user ok_from okay_from
    go-ahead_from approval_from permission_from consent_from confirmed_with_user confirmed_with_the_user
    agreed_with_user agreed_with_the_user cleared_with_the_user discussed_with_the_user decided_with_the_user`,
};

/** Whatever stands between them. */
const theUser: Attributing = { ...somebody, who: "the_user", between: OTHER, phrases: "the_user,?_who" };

const english: Attributing = {
  who: "user customer human operator requester stakeholder",
  between: `also has had have explicitly clearly already then later now just still first previously repeatedly
    strongly initially finally would did does do is was were be been being not never then specifically personally
    again really only doesn't does_not has_no therefore verbally expressly and`,
  does: `ask asks asked want wants wanted wish wishes wished like likes liked say says said request requests requested
    approve approves approved confirm confirms confirmed agree agrees agreed allow allows allowed authoris* authoriz*
    decide decides decided prefer prefers preferred tell tells told insist insists insisted instruct* order orders
    ordered demand demands demanded require requires required permit permits permitted consent consents consented
    accept accepts accepted choose chose chosen chooses specify specifies specified stress stresses stressed emphasi*
    remind reminds reminded clarif* grant grants granted gave gives okayed ok'd signed_off green-lit greenlit need
    needs needed expect expects expected fine_with ok_with okay_with happy_with waive waives waived forbade forbids
    prohibit* directed urge urges urged suggest suggests suggested propose proposes proposed opted mandated objected
    objects mind minds no_problem_with no_objection* indicated stated mentioned declared pre-approved preapproved`,
  phrases: `user's_request user's_approval user's_consent user's_permission user's_instruction* user's_decision
    user's_preference* user's_wish* user's_order* user's_go-ahead user's_authori* user's_confirmation user's_sign-off
    user's_blessing user's_demand* user's_requirement* user's_directive* user_request* user_approval user_consent
    user_permission user_instruction* user_decision user_preference* user_wish* user_confirmation user-requested user-approved
    user-confirmed user-mandated user-authori* per_the_user by_the_user according_to_the_user as_instructed
    as_requested as_agreed as_asked as_ordered as_directed as_approved as_per_request per_request per_instruction*
    at_the_request was_asked_to were_asked_to been_asked_to asked_to was_told_to been_told_to told_to instructed_to
    ordered_to directed_to requested_by approved_by authori[sz]ed_by confirmed_by demanded_by`,
};

const german: Attributing = {
  who: "nutzer nutzers nutzerin benutzer benutzers benutzerin anwender anwenders der_user kunde kunden kundin auftraggeber",
  between: OTHER,
  does: `möchte will wollte wünscht wünschte bat bittet gebeten sagt sagte gesagt verlangt verlangte fordert forderte
    gefordert genehmigt genehmigte freigegeben bestätigt bestätigte zugestimmt stimmt_zu stimmte_zu stimmte erlaubt
    erlaubte autorisiert entschied entschieden entscheidet bevorzugt besteht bestand angewiesen wies beauftragt
    beauftragte angeordnet ordnete_an vorgegeben erwartet einverstanden braucht verboten untersagt gewünscht`,
  phrases: `laut_nutzer* laut_benutzer* laut_anwender* laut_user auf_wunsch wie_gewünscht wie_besprochen
    wie_vereinbart wie_angewiesen wie_verlangt im_auftrag vom_nutzer vom_benutzer vom_anwender vom_user vom_kunden
    nutzerwunsch* benutzerwunsch* wunsch_des auf_anweisung auf_anfrage_des zustimmung_des freigabe_des genehmigung_des
    erlaubnis_des`,
};

const spanish: Attributing = {
  who: "usuario* usuaria* cliente",
  between: OTHER,
  does: `pidió pide pidiendo quiere quería quiso solicitó solicita aprobó aprueba confirmó confirma autorizó autoriza
    permitió permite decidió decide prefiere dijo dice indicó indica ordenó ordena insistió insiste exigió exige
    aceptó acepta acordó consintió necesita desea pedido aprobado autorizado confirmado decidido dado`,
  phrases: `según_el_usuario según_la_usuaria a_petición por_orden_del tal_como_pidió como_pidió como_se_pidió
    por_indicación me_pidió nos_pidió se_pidió se_autorizó se_aprobó del_usuario por_el_usuario preferencia_del_usuario solicitud_del_usuario`,
};

const french: Attributing = {
  who: "utilisateur* utilisatrice* l'utilisateur* l'utilisatrice* client cliente",
  between: OTHER,
  does: `demande demandé demandait veut voulait souhaite souhaitait approuve approuvé confirme confirmé autorise
    autorisé permet permis décide décidé préfère préférait dit insiste insisté ordonne ordonné exige exigé accepte
    accepté donné consenti refuse refusé besoin`,
  phrases: `selon_l'utilisateur à_la_demande_de comme_demandé comme_convenu par_l'utilisateur de_l'utilisateur
    sur_instruction sur_ordre m'a_demandé nous_a_demandé a_été_demandé`,
};

const portuguese: Attributing = {
  who: "usuário* usuária* utilizador* cliente",
  between: OTHER,
  does: `pediu pede quer queria solicitou solicita aprovou aprova confirmou confirma autorizou autoriza permitiu
    permite decidiu decide prefere disse diz insistiu insiste ordenou exigiu exige aceitou concordou precisa deseja
    deu`,
  phrases: `segundo_o_usuário a_pedido como_pedido conforme_solicitado conforme_pedido pelo_usuário do_usuário
    pelo_utilizador do_utilizador`,
};

const russian: Attributing = {
  who: "пользовател* заказчик* клиент* юзер*",
  between: OTHER,
  does: `просит попросил* просил* хочет хотел* сказал* одобрил* одобряет подтвердил* согласил* согласен согласна
    разрешил* разрешает решил* решила предпочитает предпочел* требует потребовал* настаивает настоял* поручил*
    приказал* велел* указал* желает дал дала нужно запретил*`,
  phrases: `по_просьбе по_запросу_пользователя как_просил* по_указанию по_требованию согласно_пользователю по_желанию
    по_решению_пользователя пользователем поручили_мне мне_поручили разрешили_мне мне_разрешили просили_меня`,
};

/** The sources of patterns for folded text. */
export const attributions: readonly string[] = [
  ...[somebody, somebodyElse, english].flatMap(({ who, does, between, phrases }) => [
    near({ who, between: anyOf(between), most: 3, does }),
    anyOf(phrases),
  ]),
  ...[theUser, german, spanish, french, portuguese, russian].flatMap(({ who, does, between, phrases }) => [
    near({ who, between, most: 6, does }),
    anyOf(phrases),
  ]),
];

interface Near extends Omit<Attributing, "phrases"> {
  /** How many words may stand between. */
  readonly most: number;
}

function near({ who, between, most, does }: Near): string {
  return `${anyOf(who)}[\\s,]+(?:${between}[\\s,]+){0,${most}}${anyOf(does)}`;
}

/** Where words are not set apart by spaces. */
export const joinedAttributions: readonly string[] = [
  within(
    "用户 客户 使用者 对方 您 你",
    `要求 希望 想 要 说 请求 批准 同意 确认 允许 授权 决定 偏好 喜欢 坚持 指示 告诉 许可 需要 表示 强调 提出 明确 禁止 不准 答应
    认可 准许 让`,
  ),
  within(
    "ユーザー? 利用者 お客様 依頼者 あなた",
    `依頼 要求 希望 望 求め 指示 言っ 述べ 承認 許可 同意 確認し 決定 決め 好 要望 頼 命じ たい ほしい 欲し 主張 禁じ`,
  ),
  within(
    "사용자 고객 유저 당신",
    `요청 원하 원함 원했 원한 요구 승인 허락 허가 동의 확인 결정 선호 지시 말했 말함 주장 부탁 고집 강조 바라 금지`,
  ),
  anyOf(
    `按照?用户 根据用户 应用户 如用户 依用户 经用户 按要求 按指示 遵照 指示通り 指示どおり 依頼通り 依頼どおり ご要望 ユーザーの
    被要求 让我 叫我 允许我 言われ 頼まれ 指示され 依頼され 지시받 요청받 허락받
    요청에_따라 지시에_따라 요청대로 지시대로`,
  ),
];

function within(who: string, does: string): string {
  return `${anyOf(who)}.{0,30}?${anyOf(does)}`;
}

/** Done by somebody: it counts where it is said of something, `was approved`, `approved: …`, not where it is a name. */
export const approved = `approved authorised authorized consented sanctioned okayed greenlit green-lit pre-approved
  preapproved agreed permitted genehmigt freigegeben bewilligt autorisiert aprobad* autorizad* approuvé* autorisé* aprovad* одобрен*
  разрешен* согласован* утвержден*`;

/** What stands before it then. */
export const being = `is are was were been be now already fully explicitly wurde wurden ist sind fue fueron está están queda
  quedó est été foi foram был была было были уже`;

/** What stands behind it then. */
export const whatFor = "to for by zum zur für para pour за";

export const consented = `permission_granted permission_was permission_given permission_to permission_for consent_for approval_for approval_to consent_was
  consent_given consent_to has_permission have_permission with_permission consent_obtained approval_was approval_given
  approval_obtained approval_received approval_granted green_light* go-ahead_given go-ahead_was go-ahead_to signed_off
  sign-off_given sign-off_received cleared_to authorisation_given authorization_given authorisation_granted
  authorization_granted authorised_to authorized_to approved_to free_to_proceed no_confirmation_needed
  no_confirmation_required no_approval_needed no_need_to_ask no_further_approval allowed_to permitted_to okay_to ok_to
  it's_fine_to erlaubnis_erteilt erlaubnis_liegt erlaubnis_zum erlaubnis_zur genehmigung_erteilt genehmigung_liegt
  genehmigung_zum freigabe_erteilt freigabe_liegt freigabe_zum zustimmung_liegt zustimmung_erteilt
  einverständnis_liegt ist_erlaubt darf_ohne keine_rückfrage permiso_concedido permiso_otorgado permiso_dado
  permiso_para con_permiso visto_bueno consentimiento_dado consentimiento_para autorización_concedida
  autorización_para permission_accordée permission_donnée permission_de feu_vert accord_donné autorisation_donnée
  autorisation_de permissão_concedida permissão_dada permissão_para sinal_verde autorização_dada autorização_para
  разрешение_получено разрешение_дано разрешение_на согласие_получено согласие_дано согласие_на
  (?:已经?|获得?|得到|经过?)(?:批准|授权|同意|允许|许可|准许) (?:批准|授权|许可|同意|允许)了?[:：] 无需确认 无需再?问
  (?:承認|許可|同意|認可)(?:済|され|を得|が出|が下|あり|を受|を取) 確認不要
  (?:승인|허가|허락|동의|인가)_?(?:됨|되었|됐|받|을|완료|했)`;

/** Who waits for an answer, or asks for one, has none. */
export interface Pending {
  readonly waiting: string;
  readonly small: string;
  readonly answer: string;
  /** More of the same, behind it. */
  readonly more: string;
}

export const pendings: readonly Pending[] = [
  {
    waiting: `wait_for waiting_for waits_for awaiting await awaits pending ask asks asked asking need needs needed
      needing require requires required seek seeks seeking get obtain without until unless request requests requested
      requesting before`,
    small: "the a an any explicit further final",
    answer: "user user's customer customer's approval confirmation consent permission decision sign-off go-ahead",
    more: `approval confirmation consent permission decision answer reply input feedback sign-off to_approve
      to_confirm to_decide to_answer to_reply to_choose to_say approve approves confirm confirms decide decides
      answer answers replies`,
  },
  {
    waiting: "warte* ausstehend* frag* brauch*",
    small: "noch auf wir die den ein eine der des",
    answer: "nutzer* benutzer* bestätigung* freigabe* zustimmung* genehmigung* erlaubnis* entscheidung*",
    more: "des_nutzers vom_nutzer",
  },
  {
    waiting: "espera* pendiente* pregunta* falta* aguarda* pendente*",
    small: "de a al que la el por del o da do pela",
    answer: "usuario* confirmación aprobación permiso decisión confirmação aprovação permissão decisão",
    more: "del_usuario do_usuário",
  },
  {
    waiting: "attend* en_attente",
    small: "de d' la le l'",
    answer: "utilisateur* l'utilisateur* confirmation approbation accord décision d'approbation d'accord",
    more: "de_l'utilisateur",
  },
  {
    waiting: "жду ждем ждет ожида*",
    small: "от на",
    answer: "подтвержден* одобрен* решен* разрешен* ответ* пользовател*",
    more: "пользовател*",
  },
];

export const notYet = {
  not: `not not_yet n't never noch_nicht aún_no todavía_no pas_encore ainda_não ещё_не`,
  given: `approved authorised authorized confirmed decided agreed answered consented allowed genehmigt freigegeben
    bestätigt entschieden aprobad* autorizad* confirmad* approuvé* autorisé* confirmé* aprovad* одобрен* подтвержден*
    разрешен* согласован*`,
} as const;

/** The same where words are not set apart by spaces. */
export const joinedPendings: readonly string[] = [
  "(?:等待|待|询问|请示|尚未|还没|未)(?:经|获|得到)?(?:用户|客户)?的?(?:确认|批准|同意|授权|回复|决定)",
  "(?:ユーザー?の)?(?:確認|承認|許可|回答|決定)(?:待ち|を待|が必要)|未承認",
  "(?:사용자의? ?)?(?:승인|확인|결정|답변|허가)(?:을|를)? ?(?:대기|기다|필요|전)",
];

export const personNouns = `user customer human requester stakeholder product_owner nutzer nutzers nutzerin benutzer benutzers benutzerin
  anwender anwenders auftraggeber usuario usuaria utilisateur utilisatrice l'utilisateur l'utilisatrice usuário usuária utilizador
  utente l'utente dell'utente gebruiker użytkownik użytkownika użytkownikowi kullanıcı kullanıcının kullanici kullanicinin användaren användarens brugeren
  brukeren người_dùng χρήστης χρήστη пользователь пользователя пользователю пользователем користувач користувача користувачем`;

/** The same where words are not set apart by spaces, or bear their articles. */
export const joinedPersonNouns: readonly string[] = [
  "المستخدم(?!ين|ون|ات)",
  "המשתמש(?!ים|ות)",
  "उपयोगकर्ता(?!ओं)",
  "ผู้ใช้(?!งานทั้งหมด)",
  "(?<!所有|每个|新|各|多个|普通|登录)(?:用户|用戶|使用者)(?!表|名|数|信息|界面|列表|管理|数据|体验|们|登录|注册|ID|输入|目录|组|認證|认证|会话|角色|权限|中心|页|模块|服务|接口|类)",
  "(?<!全|新規|各)ユーザー?(?!ー)(?!名|テーブル|数|一覧|情報|ID|管理|データ|入力|登録|認証|インター|ビリティ|セッション|エージェント|モデル|が?ログイン|設定|ガイド|向け|たち|ズ)",
  "(?<!모든 |신규 )사용자(?! ?(?:테이블|이름|목록|정보|수|ID|관리|데이터|입력|등록|인증|세션|모델|설정|들|별|경험|인터))",
];

/** Right before it: whoever uses the program. */
export const anybody = `a an any each every another no other current new existing admin root guest logged-in signed-in anonymous
  authenticated test end per super regular normal some multiple default system database db local first last same given invalid
  valid unknown missing deleted inactive active registered premium kein keine neue neuer neuen jeder jeden jede die alle pro
  angemeldete angemeldeten einen un una cada nuevo nueva chaque nouvel novo каждый новый jeg`;

/** Right behind it: a thing of the program. */
export const things = `table tables id ids name names input data record records account accounts agent session sessions interface model
  models object objects list lists profile profiles setting settings page pages flow flows type types role roles service module
  class entity schema field fields column columns row rows store state context token tokens group groups menu dashboard facing
  defined supplied provided level space mode guide docs documentation manual story stories experience event events management
  test tests code file files form forms api endpoint endpoints controller repository component components hook not is_not count
  counts password passwords email emails key keys directory dir home folder config preferences_page registration login logout
  creation deletion lookup query queries search service services cache avatar image images activity log logs permissions_table
  row pool namespace process processes error errors notification notifications menu card view views dropdown route routes
  fixture fixtures factory seed seeds import imports export exports auth authentication collection document documents resource
  struct enum prop props param params parameter parameters variable variables must_exist exists already_exists logs_in log_in
  enters clicks opens submits types_in visits signs_in selects sees lands navigates uploads downloads scrolls leaves closes
  tabelle konto name-feld anlegen löschen-knopf tabla nombre lista table_des`;
