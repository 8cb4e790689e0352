/** How consent is told without anybody who gave it, and how one tells that there is none yet, language by language. */

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
