// Texts of the guide: who asks for the photos, which ones, how long there is, and the receipt. In Portuguese, English
// and Spanish. Words in braces are places for values.

/**
 * @typedef {object} GuideTexts
 * @property {string} language
 * @property {[one: string, many: string]} asks title, with `{sender}` and `{count}`
 * @property {string} purpose
 * @property {[one: string, many: string]} photos with `{titles}` and `{count}`
 * @property {string} until with `{time}` and `{left}`
 * @property {[less: string, one: string, many: string]} left time that is left, with `{count}`
 * @property {string} cannot what to do at another time, with `{time}` and `{sender}`
 * @property {string} someone the sender of the link, if the operator has not named one
 * @property {string} whoAsked the author of a note, if the operator has not named one
 * @property {string} privacy
 * @property {Record<"controller" | "contact" | "data" | "duration" | "sharing" | "responsibilities" | "rights" | "notice", string>} terms
 * @property {string} data
 * @property {string[]} rights
 * @property {string} notice text of the link to the complete notice
 * @property {string} list name of the list of photos
 * @property {Record<"captured" | "skipped" | "asked" | "pending", string>} states
 * @property {string} alarm said when little time is left, with `{left}`
 * @property {[one: string, many: string]} elsewhere photos that are left on a second device, with `{count}`
 * @property {[one: string, many: string]} skipped added to the number of photos, with `{count}`
 * @property {string} received with `{count}` and `{total}`
 * @property {string} none
 * @property {string} missing with `{titles}`
 * @property {string} keep
 * @property {string} share
 * @property {string} kept
 * @property {string} see
 * @property {string} file name of the receipt's file
 * @property {Record<"title" | "madeAt" | "to" | "purpose" | "reference" | "photos" | "unnamed" | "hash" | "skipped" | "about" | "erasure" | "noErasure", string>} receipt
 */

/** @type {Readonly<GuideTexts>} */
const PORTUGUESE = {
  language: "pt-BR",
  asks: ["{sender} pede uma foto", "{sender} pede {count} fotos"],
  purpose: "Para que servem:",
  photos: ["Vamos pedir uma foto: {titles}.", "Vamos pedir {count} fotos: {titles}."],
  until: "{left} (até {time}).",
  left: ["Falta menos de 1 minuto", "Falta 1 minuto", "Faltam {count} minutos"],
  cannot: "Não pode agora, ou parou no meio? Abra o link de novo até {time}: o que já foi enviado fica. Depois disso, peça um novo a {sender}.",
  someone: "quem o enviou",
  whoAsked: "quem pediu as fotos",
  privacy: "Aviso de privacidade",
  terms: {
    controller: "Quem decide sobre os seus dados",
    contact: "Contato",
    data: "Dados coletados",
    duration: "Por quanto tempo",
    sharing: "Com quem são compartilhados",
    responsibilities: "Quem responde pelo quê",
    rights: "Os seus direitos",
    notice: "Mais detalhes",
  },
  data: "As fotos; e, como parte da prova de cada uma, registrados com ela: o horário, a localização e a direção do aparelho, se você as permitir, e a identificação do navegador.",
  rights: [
    "Pela Lei Geral de Proteção de Dados (art. 18 da LGPD), você pode pedir a qualquer momento: a confirmação de que os seus dados são tratados e o acesso a eles; a correção de dados incompletos, inexatos ou desatualizados; a anonimização, o bloqueio ou a eliminação do que for desnecessário, excessivo ou tratado fora da lei; a portabilidade; a eliminação dos dados tratados com o seu consentimento; a lista de com quem eles foram compartilhados; a informação sobre o que acontece se você não consentir; e a revogação do consentimento.",
    "Exercer esses direitos é gratuito: faça o pedido pelo contato acima. Você também pode reclamar à ANPD e aos órgãos de defesa do consumidor.",
  ],
  notice: "Ler o aviso de privacidade completo",
  list: "Fotos deste link",
  states: { captured: "recebida", skipped: "pulada", asked: "a próxima", pending: "falta tirar" },
  alarm: "O link vence logo. {left}.",
  elsewhere: ["Falta uma foto. Continue aqui ou no outro aparelho.", "Faltam {count} fotos. Continue aqui ou no outro aparelho."],
  skipped: [", 1 pulada", ", {count} puladas"],
  received: "Recebemos {count} de {total} fotos. Elas estão guardadas: você não precisa tirar essas fotos de novo.",
  none: "Nenhuma foto foi recebida.",
  missing: "Responda a mensagem em que recebeu o link e peça outro para o que falta: {titles}.",
  keep: "Guardar comprovante",
  share: "Compartilhar comprovante",
  kept: "O comprovante está nos arquivos baixados deste aparelho.",
  see: "Ver o comprovante",
  file: "comprovante",
  receipt: {
    title: "Comprovante de envio de fotos",
    madeAt: "Emitido em: {time}",
    to: "Enviadas a: {sender}",
    purpose: "Para que servem: {purpose}",
    reference: "Referência: {reference}",
    photos: "Fotos recebidas:",
    unnamed: "Foto {number}",
    hash: "Impressão digital (SHA-256) da imagem: {hash}",
    skipped: "Fotos puladas: {titles}",
    about: "A impressão digital identifica a imagem: se um só detalhe dela mudar, o número muda.",
    erasure: "Para pedir a exclusão das fotos, ou exercer outro direito da LGPD, escreva para {controller} ({contact}) e cite a referência acima.",
    noErasure: "Para pedir a exclusão das fotos, fale com quem enviou o link e cite a referência acima.",
  },
};

/** @type {Readonly<GuideTexts>} */
const ENGLISH = {
  language: "en",
  asks: ["{sender} asks for a photo", "{sender} asks for {count} photos"],
  purpose: "What they are for:",
  photos: ["We will ask for one photo: {titles}.", "We will ask for {count} photos: {titles}."],
  until: "{left} (until {time}).",
  left: ["Less than 1 minute left", "1 minute left", "{count} minutes left"],
  cannot: "Not a good time, or interrupted? Open the link again until {time}: what was sent stays. After that, ask {sender} for a new one.",
  someone: "its sender",
  whoAsked: "whoever asked for the photos",
  privacy: "Privacy notice",
  terms: {
    controller: "Who decides about your data",
    contact: "Contact",
    data: "Data collected",
    duration: "For how long",
    sharing: "With whom it is shared",
    responsibilities: "Who is responsible for what",
    rights: "Your rights",
    notice: "More details",
  },
  data: "The photos; and, recorded with each as part of its proof: the time, the location and the direction of the phone if you allow them, and the browser's identification.",
  rights: [
    "Under Brazil's General Data Protection Law (LGPD, art. 18) you may ask at any time for: confirmation that your data is processed, and access to it; correction of incomplete, inaccurate or outdated data; anonymization, blocking or deletion of what is unnecessary, excessive or processed unlawfully; portability; deletion of data processed with your consent; a list of those with whom it was shared; information on what happens if you do not consent; and withdrawal of your consent.",
    "Exercising these rights is free: ask at the contact above. You may also complain to the ANPD, Brazil's data protection authority, and to consumer protection bodies.",
  ],
  notice: "Read the complete privacy notice",
  list: "Photos of this link",
  states: { captured: "received", skipped: "skipped", asked: "the next one", pending: "to be taken" },
  alarm: "The link expires soon. {left}.",
  elsewhere: ["One photo is left. Go on here or on the other device.", "{count} photos are left. Go on here or on the other device."],
  skipped: [", 1 skipped", ", {count} skipped"],
  received: "We have received {count} of {total} photos. They are safe: you need not take those photos again.",
  none: "No photo was received.",
  missing: "Answer the message in which you received the link, and ask for another one for what is missing: {titles}.",
  keep: "Keep the receipt",
  share: "Share the receipt",
  kept: "The receipt is among the downloaded files of this device.",
  see: "See the receipt",
  file: "receipt",
  receipt: {
    title: "Receipt for photos sent",
    madeAt: "Made at: {time}",
    to: "Sent to: {sender}",
    purpose: "What they are for: {purpose}",
    reference: "Reference: {reference}",
    photos: "Photos received:",
    unnamed: "Photo {number}",
    hash: "Fingerprint (SHA-256) of the image: {hash}",
    skipped: "Photos skipped: {titles}",
    about: "The fingerprint identifies the image: if a single detail of it changes, the number changes.",
    erasure: "To ask for the deletion of the photos, or exercise another right under the LGPD, write to {controller} ({contact}) and quote the reference above.",
    noErasure: "To ask for the deletion of the photos, contact the sender of the link and quote the reference above.",
  },
};

/** @type {Readonly<GuideTexts>} */
const SPANISH = {
  language: "es",
  asks: ["{sender} pide una foto", "{sender} pide {count} fotos"],
  purpose: "Para qué sirven:",
  photos: ["Vamos a pedir una foto: {titles}.", "Vamos a pedir {count} fotos: {titles}."],
  until: "{left} (hasta las {time}).",
  left: ["Queda menos de 1 minuto", "Queda 1 minuto", "Quedan {count} minutos"],
  cannot: "¿No puede ahora, o paró a la mitad? Abra el enlace de nuevo hasta las {time}: lo enviado queda. Después, pida uno nuevo a {sender}.",
  someone: "quien lo envió",
  whoAsked: "quien pidió las fotos",
  privacy: "Aviso de privacidad",
  terms: {
    controller: "Quién decide sobre sus datos",
    contact: "Contacto",
    data: "Datos recogidos",
    duration: "Por cuánto tiempo",
    sharing: "Con quién se comparten",
    responsibilities: "Quién responde de qué",
    rights: "Sus derechos",
    notice: "Más detalles",
  },
  data: "Las fotos; y, como parte de la prueba de cada una, registrados con ella: la hora, la ubicación y la dirección del teléfono, si las permite, y la identificación del navegador.",
  rights: [
    "Por la Ley General de Protección de Datos de Brasil (LGPD, art. 18), puede pedir en cualquier momento: la confirmación de que sus datos se tratan y el acceso a ellos; la corrección de datos incompletos, inexactos o desactualizados; la anonimización, el bloqueo o la eliminación de lo innecesario, excesivo o tratado fuera de la ley; la portabilidad; la eliminación de los datos tratados con su consentimiento; la lista de con quién se compartieron; la información sobre qué pasa si no da su consentimiento; y la revocación del consentimiento.",
    "Ejercer estos derechos es gratuito: pídalo por el contacto de arriba. También puede reclamar ante la ANPD, la autoridad brasileña de protección de datos, y ante los órganos de defensa del consumidor.",
  ],
  notice: "Leer el aviso de privacidad completo",
  list: "Fotos de este enlace",
  states: { captured: "recibida", skipped: "omitida", asked: "la siguiente", pending: "falta tomarla" },
  alarm: "El enlace vence pronto. {left}.",
  elsewhere: ["Falta una foto. Continúe aquí o en el otro aparato.", "Faltan {count} fotos. Continúe aquí o en el otro aparato."],
  skipped: [", 1 omitida", ", {count} omitidas"],
  received: "Recibimos {count} de {total} fotos. Están guardadas: no necesita tomar esas fotos de nuevo.",
  none: "No se recibió ninguna foto.",
  missing: "Responda el mensaje en el que recibió el enlace y pida otro para lo que falta: {titles}.",
  keep: "Guardar comprobante",
  share: "Compartir comprobante",
  kept: "El comprobante está entre los archivos descargados de este aparato.",
  see: "Ver el comprobante",
  file: "comprobante",
  receipt: {
    title: "Comprobante de envío de fotos",
    madeAt: "Emitido el: {time}",
    to: "Enviadas a: {sender}",
    purpose: "Para qué sirven: {purpose}",
    reference: "Referencia: {reference}",
    photos: "Fotos recibidas:",
    unnamed: "Foto {number}",
    hash: "Huella digital (SHA-256) de la imagen: {hash}",
    skipped: "Fotos omitidas: {titles}",
    about: "La huella digital identifica la imagen: si un solo detalle cambia, el número cambia.",
    erasure: "Para pedir la eliminación de las fotos, o ejercer otro derecho de la LGPD, escriba a {controller} ({contact}) y cite la referencia de arriba.",
    noErasure: "Para pedir la eliminación de las fotos, hable con quien envió el enlace y cite la referencia de arriba.",
  },
};

/** The texts by language; the first is the default. */
export const GUIDE_LANGUAGES = [PORTUGUESE, ENGLISH, SPANISH];

/** @param {string} language of the page's texts */
export function guideTextsFor(language) {
  return GUIDE_LANGUAGES.find((texts) => texts.language === language) ?? PORTUGUESE;
}
