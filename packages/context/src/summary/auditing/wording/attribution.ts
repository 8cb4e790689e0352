/** Whether a line attributes something to the user: a wish, an order, a decision, a permission. Consent counts also where nobody is named. */

import { anyOf, pattern } from "./any-of.ts";
import { attributions, joinedAttributions } from "./attribution-words.ts";
import { folded } from "./folded.ts";

export function attributes(text: string): boolean {
  const rest = folded(text).replace(PENDING, " ");
  return LABEL.test(rest) || ATTRIBUTING.some((pattern) => pattern.test(rest));
}

/** What of a line attributes something, each part of it that stands for itself. */
export function attributed(text: string): readonly string[] {
  if (!attributes(text)) return [];
  const parts = LABEL.test(folded(text)) ? [] : text.split(SEGMENT_END).filter(attributes);
  return parts.length > 0 ? parts : [text];
}

// As in a play: who, a colon, and what they say.
const LABEL = /^(?:the |der |el |l')?(?:users?|human|customer|nutzer|benutzer|usuari[oa]|utilisateur|пользователь|用户|客户|ユーザー?|사용자)\s?[:：]/u;

const SEGMENT_END = new RegExp(
  [
    "[.!?…]+(?=\\s|$)|[。！？；]|[;:](?=\\s|$)|[：（）()\\n]|\\s[—–-]+\\s|→",
    ",?\\s(?=(?:so|because|therefore|hence|thus|weil|deshalb|daher|sodass|porque|por eso|así que|parce que|donc|потому|поэтому)\\s)",
    ",?\\s(?:and|und|y|et|e|и)\\s(?=(?:the |der |el |la |l'|o |a )?(?:user|nutzer|benutzer|usuari[oa]|utilisateur|пользователь)\\s)",
    "[，,]?(?=因此|所以|因为)|[，,](?=用户|客户|使用者)",
  ].join("|"),
  "iu",
);

// Passive, and without anybody: "approved: force push", "permission was given".
const APPROVED = anyOf(
  `approved authorised authorized consented sanctioned okayed greenlit green-lit pre-approved preapproved genehmigt freigegeben bewilligt
  autorisiert aprobad* autorizad* approuvé* autorisé* aprovad* одобрен* разрешен* согласован* утвержден*`,
);
const CONSENTED = [
  `(?:^|[:—–-]\\s*|(?:is|are|was|were|been|be|now|already|fully|explicitly|wurde|wurden|ist|sind|fue|fueron|está|están|queda|quedó|est|a ete|foi|foram|esta|был[аои]?|уже)\\s+)${APPROVED}`,
  `${APPROVED}\\s*(?::|to\\s|for\\s|by\\s|zum\\s|zur\\s|fur\\s|para\\s|pour\\s|за\\s|—|–|-\\s)`,
  anyOf(
    `permission_granted permission_was permission_given permission_to permission_for consent_was consent_given consent_to has_permission
    have_permission with_permission consent_obtained approval_was approval_given approval_obtained approval_received approval_granted
    green_light* go-ahead_given go-ahead_was go-ahead_to signed_off sign-off_given sign-off_received cleared_to authori[sz]ation_given
    authori[sz]ation_granted authori[sz]ed_to approved_to free_to_proceed no_confirmation_needed no_confirmation_required
    no_approval_needed no_need_to_ask no_further_approval allowed_to permitted_to okay_to ok_to it's_fine_to
    erlaubnis_erteilt erlaubnis_liegt erlaubnis_zum erlaubnis_zur genehmigung_erteilt genehmigung_liegt genehmigung_zum freigabe_erteilt
    freigabe_liegt freigabe_zum zustimmung_liegt zustimmung_erteilt einverständnis_liegt ist_erlaubt darf_ohne keine_rückfrage
    permiso_concedido permiso_otorgado permiso_dado permiso_para con_permiso visto_bueno consentimiento_dado consentimiento_para
    autorización_concedida autorización_para permission_accordée permission_donnée permission_de feu_vert accord_donné autorisation_donnée
    autorisation_de permissão_concedida permissão_dada permissão_para sinal_verde autorização_dada autorização_para
    разрешение_получено разрешение_дано разрешение_на согласие_получено согласие_дано согласие_на
    (?:已经?|获得?|得到|经过?)(?:批准|授权|同意|允许|许可|准许) (?:批准|授权|许可|同意|允许)了?[:：] 无需确认 无需再?问
    (?:承認|許可|同意|認可)(?:済|され|を得|が出|が下|あり|を受|を取) 確認不要 (?:승인|허가|허락|동의|인가)_?(?:됨|되었|됐|받|을|완료|했)`,
  ),
];

const ATTRIBUTING: readonly RegExp[] = [...attributions, ...joinedAttributions, ...CONSENTED].map(pattern);

// Who waits for an answer, or asks for one, has none.
const PENDING = new RegExp(
  [
    `(?:wait(?:ing|s|ed)? for|await(?:ing|s)?|pending|ask(?:s|ed|ing)?|need(?:s|ed|ing)?|requir(?:es?|ed|ing)|seek(?:s|ing)?|get|obtain|without|until|unless|request(?:s|ed|ing)?|before) (?:the |an? |any |explicit |further |final )*(?:user(?:'s)?|customer(?:'s)?|approval|confirmation|consent|permission|decision|sign-off|go-ahead)(?: (?:approval|confirmation|consent|permission|decision|answer|reply|input|feedback|sign-off|to (?:approve|confirm|decide|answer|reply|choose|say)|approves?|confirms?|decides?|answers?|replies))*`,
    `(?:has|have|had|is|was|were|been)?\\s?(?:not|n't|never)(?: yet)?(?: been)? (?:approved|authori[sz]ed|confirmed|decided|agreed|answered|consented|allowed)`,
    `(?:wart\\w*|ausstehend\\w*|frag\\w*|brauch\\w*) (?:noch )?(?:auf |wir |die |den |eine? |der |des )*(?:nutzer|benutzer|bestatigung|freigabe|zustimmung|genehmigung|erlaubnis|entscheidung)\\w*(?: des nutzers| vom nutzer)?|noch nicht (?:genehmigt|freigegeben|bestatigt|entschieden)`,
    `(?:espera\\w*|pendiente\\w*|pregunta\\w*|falta\\w*) (?:de |a |al |que |la |el |por |del )*(?:usuario|confirmacion|aprobacion|permiso|decision)(?: del usuario)?|(?:aun|todavia) no (?:aprobad|autorizad|confirmad)\\w*`,
    `(?:attend\\w*|en attente) (?:de |d'|la |le |l')*(?:utilisateur|confirmation|approbation|accord|decision)(?: de l'utilisateur)?|pas encore (?:approuve|autorise|confirme)\\w*`,
    `(?:aguarda\\w*|espera\\w*|pendente\\w*) (?:de |a |o |da |do |pela )*(?:usuario|confirmacao|aprovacao|permissao|decisao)(?: do usuario)?|ainda nao (?:aprovad|autorizad|confirmad)\\w*`,
    `(?:жд[а-я]+|ожида[а-я]+) (?:[а-я]+ )?(?:подтвержден|одобрен|решен|разрешен|ответ)[а-я]*(?: пользовател[а-я]+)?|еще не (?:одобрен|подтвержден|разрешен|согласован)[а-я]*`,
    "(?:等待|待|询问|请示|尚未|还没|未)(?:经|获|得到)?(?:用户|客户)?的?(?:确认|批准|同意|授权|回复|决定)|(?:ユーザー?の)?(?:確認|承認|許可|回答|決定)(?:待ち|を待|が必要)|未承認|(?:사용자의? ?)?(?:승인|확인|결정|답변|허가)(?:을|를)? ?(?:대기|기다|필요|전)",
  ].join("|"),
  "gu",
);
