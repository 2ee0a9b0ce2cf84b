// Texts of the page in Portuguese, English and Spanish.

/**
 * @typedef {{ title: string, body: string[] }} Words
 */

/**
 * @typedef {object} Texts
 * @property {string} language
 * @property {Words} start
 * @property {string[]} asked permissions that the browser will ask for
 * @property {Words} checking
 * @property {Words} resume
 * @property {Words} done
 * @property {Words} redirecting
 * @property {Words} noLink
 * @property {Words} notFound
 * @property {Words} expired
 * @property {Words} used
 * @property {Words} tooManyLoads
 * @property {Words} refused
 * @property {Words} noNetwork
 * @property {Words} noService
 * @property {Words} noCamera
 * @property {Words} cameraBusy
 * @property {Words} notSent
 * @property {Words} elsewhere another device took the photo
 * @property {Record<"INVALID_KEY" | "REVOKED" | "EXPIRED" | "VOLUME_EXCEEDED" | "CLIENT_SUSPENDED", Words>} license
 * @property {string} taken progress, with `{photo}` and `{total}`
 * @property {string} begin
 * @property {string} goOn
 * @property {string} again
 * @property {string} proceed
 */

/** @type {Readonly<Texts>} */
const PORTUGUESE = {
  language: "pt-BR",
  start: {
    title: "Tire as fotos aqui",
    body: ["As fotos são tiradas nesta página e assinadas na hora, para que se possa conferir que não foram alteradas."],
  },
  asked: ["O navegador vai pedir o uso da câmera.", "Depois, a localização: ela é registrada com a foto."],
  checking: { title: "Um momento…", body: ["Verificando quais fotos já chegaram."] },
  resume: { title: "Continue as fotos", body: ["As fotos que você já enviou estão guardadas."] },
  done: { title: "Pronto", body: ["Todas as fotos foram recebidas. Você pode fechar esta página."] },
  redirecting: { title: "Pronto", body: ["Todas as fotos foram recebidas. Você está voltando ao site de quem as pediu."] },
  noLink: { title: "O link está incompleto", body: ["Abra de novo o link que você recebeu."] },
  notFound: { title: "O link não é válido", body: ["Confira se o link está inteiro, ou peça um novo a quem o enviou."] },
  expired: { title: "O link venceu", body: ["Ele vale por 30 minutos. Peça um novo a quem o enviou."] },
  used: { title: "As fotos já foram enviadas", body: ["Este link já foi usado até o fim. Não é preciso fazer mais nada."] },
  tooManyLoads: { title: "O link foi aberto vezes demais", body: ["Peça um novo a quem o enviou."] },
  refused: { title: "O serviço não aceitou", body: ["Peça um novo link a quem o enviou. O serviço disse:"] },
  noNetwork: { title: "Sem conexão", body: ["Verifique a internet e tente de novo. O que você já enviou está guardado."] },
  noService: { title: "O serviço não está funcionando", body: ["Tente de novo em alguns minutos. O que você já enviou está guardado."] },
  noCamera: { title: "A câmera não foi permitida", body: ["Permita a câmera nas configurações do navegador para este site e tente de novo."] },
  cameraBusy: { title: "A câmera não está disponível", body: ["Feche outros aplicativos que a usam e tente de novo."] },
  elsewhere: { title: "Esta foto já foi enviada", body: ["Outro aparelho com o mesmo link a tirou. Continue com a próxima."] },
  notSent: { title: "A foto não foi aceita", body: ["Tente de novo. O serviço disse:"] },
  license: {
    INVALID_KEY: { title: "Este link não pode ser usado", body: ["A licença dele não é aceita. Avise quem o enviou e peça um novo."] },
    REVOKED: { title: "Este link não vale mais", body: ["A licença dele foi cancelada. Avise quem o enviou e peça um novo."] },
    EXPIRED: { title: "Este link não vale mais", body: ["A licença dele venceu. Avise quem o enviou."] },
    VOLUME_EXCEEDED: { title: "Não é possível agora", body: ["O limite de fotos do mês foi atingido. Avise quem enviou o link."] },
    CLIENT_SUSPENDED: { title: "Não é possível agora", body: ["O serviço está suspenso para quem enviou o link. Avise-o."] },
  },
  taken: "{photo} de {total} fotos enviadas",
  begin: "Começar",
  goOn: "Continuar",
  again: "Tentar de novo",
  proceed: "Voltar ao site",
};

/** @type {Readonly<Texts>} */
const ENGLISH = {
  language: "en",
  start: {
    title: "Take the photos here",
    body: ["The photos are taken on this page and signed at once, so that anyone can check that they were not changed."],
  },
  asked: ["The browser is going to ask for the camera.", "Then for your location, which is recorded with the photo."],
  checking: { title: "One moment…", body: ["Checking which photos have arrived."] },
  resume: { title: "Go on with the photos", body: ["The photos that you have sent are safe."] },
  done: { title: "Done", body: ["All photos have arrived. You can close this page."] },
  redirecting: { title: "Done", body: ["All photos have arrived. You are going back to the site that asked for them."] },
  noLink: { title: "The link is incomplete", body: ["Open the link that you received again."] },
  notFound: { title: "The link is not valid", body: ["Check that the link is whole, or ask its sender for a new one."] },
  expired: { title: "The link has expired", body: ["It is valid for 30 minutes. Ask its sender for a new one."] },
  used: { title: "The photos have been sent", body: ["This link was used to its end. There is nothing left to do."] },
  tooManyLoads: { title: "The link was opened too often", body: ["Ask its sender for a new one."] },
  refused: { title: "The service refused", body: ["Ask the sender for a new link. The service said:"] },
  noNetwork: { title: "No connection", body: ["Check the internet and try again. What you have sent is safe."] },
  noService: { title: "The service does not work", body: ["Try again in a few minutes. What you have sent is safe."] },
  noCamera: { title: "The camera was not allowed", body: ["Allow the camera for this site in the browser's settings, and try again."] },
  cameraBusy: { title: "The camera is not available", body: ["Close other apps that use it, and try again."] },
  elsewhere: { title: "This photo has been sent", body: ["Another device with the same link took it. Go on with the next one."] },
  notSent: { title: "The photo was not accepted", body: ["Try again. The service said:"] },
  license: {
    INVALID_KEY: { title: "This link cannot be used", body: ["Its license is not accepted. Inform its sender, and ask for a new one."] },
    REVOKED: { title: "This link is no longer valid", body: ["Its license was revoked. Inform its sender, and ask for a new one."] },
    EXPIRED: { title: "This link is no longer valid", body: ["Its license has expired. Inform its sender."] },
    VOLUME_EXCEEDED: { title: "Not possible now", body: ["The month's limit of photos is reached. Inform the sender of the link."] },
    CLIENT_SUSPENDED: { title: "Not possible now", body: ["The service is suspended for the sender of the link. Inform them."] },
  },
  taken: "{photo} of {total} photos sent",
  begin: "Begin",
  goOn: "Continue",
  again: "Try again",
  proceed: "Back to the site",
};

/** @type {Readonly<Texts>} */
const SPANISH = {
  language: "es",
  start: {
    title: "Tome las fotos aquí",
    body: ["Las fotos se toman en esta página y se firman al momento, para que se pueda comprobar que no fueron alteradas."],
  },
  asked: ["El navegador va a pedir el uso de la cámara.", "Después, la ubicación: se registra con la foto."],
  checking: { title: "Un momento…", body: ["Comprobando qué fotos llegaron."] },
  resume: { title: "Continúe las fotos", body: ["Las fotos que ya envió están guardadas."] },
  done: { title: "Listo", body: ["Todas las fotos fueron recibidas. Puede cerrar esta página."] },
  redirecting: { title: "Listo", body: ["Todas las fotos fueron recibidas. Está volviendo al sitio de quien las pidió."] },
  noLink: { title: "El enlace está incompleto", body: ["Abra de nuevo el enlace que recibió."] },
  notFound: { title: "El enlace no es válido", body: ["Compruebe que el enlace está entero, o pida uno nuevo a quien lo envió."] },
  expired: { title: "El enlace venció", body: ["Vale por 30 minutos. Pida uno nuevo a quien lo envió."] },
  used: { title: "Las fotos ya fueron enviadas", body: ["Este enlace ya fue usado hasta el final. No hace falta nada más."] },
  tooManyLoads: { title: "El enlace se abrió demasiadas veces", body: ["Pida uno nuevo a quien lo envió."] },
  refused: { title: "El servicio no aceptó", body: ["Pida un nuevo enlace a quien lo envió. El servicio dijo:"] },
  noNetwork: { title: "Sin conexión", body: ["Verifique internet e intente de nuevo. Lo que ya envió está guardado."] },
  noService: { title: "El servicio no funciona", body: ["Intente de nuevo en unos minutos. Lo que ya envió está guardado."] },
  noCamera: { title: "La cámara no fue permitida", body: ["Permita la cámara para este sitio en los ajustes del navegador e intente de nuevo."] },
  cameraBusy: { title: "La cámara no está disponible", body: ["Cierre otras aplicaciones que la usan e intente de nuevo."] },
  elsewhere: { title: "Esta foto ya fue enviada", body: ["Otro aparato con el mismo enlace la tomó. Continúe con la siguiente."] },
  notSent: { title: "La foto no fue aceptada", body: ["Intente de nuevo. El servicio dijo:"] },
  license: {
    INVALID_KEY: { title: "Este enlace no se puede usar", body: ["Su licencia no es aceptada. Avise a quien lo envió y pida uno nuevo."] },
    REVOKED: { title: "Este enlace ya no vale", body: ["Su licencia fue cancelada. Avise a quien lo envió y pida uno nuevo."] },
    EXPIRED: { title: "Este enlace ya no vale", body: ["Su licencia venció. Avise a quien lo envió."] },
    VOLUME_EXCEEDED: { title: "Ahora no es posible", body: ["Se alcanzó el límite de fotos del mes. Avise a quien envió el enlace."] },
    CLIENT_SUSPENDED: { title: "Ahora no es posible", body: ["El servicio está suspendido para quien envió el enlace. Avísele."] },
  },
  taken: "{photo} de {total} fotos enviadas",
  begin: "Empezar",
  goOn: "Continuar",
  again: "Intentar de nuevo",
  proceed: "Volver al sitio",
};

/** The texts by language; the first is the default. */
export const LANGUAGES = [PORTUGUESE, ENGLISH, SPANISH];

/**
 * The texts of the first preferred language that exists.
 * @param {readonly string[]} wanted BCP 47 tags in order of preference
 * @returns {Readonly<Texts>}
 */
export function textsFor(wanted) {
  const primary = (/** @type {string} */ tag) => tag.split("-")[0]?.toLowerCase();
  for (const tag of wanted) {
    const texts = LANGUAGES.find(({ language }) => primary(language) === primary(tag));
    if (texts) return texts;
  }
  return PORTUGUESE;
}
