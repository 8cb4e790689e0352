/** How summaries put something into the user's mouth, language by language: who is said to have said it, and what they are said to have done. */

import { anyOf } from "../comparing/any-of.ts";

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
