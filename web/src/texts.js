// Texts of the component in Portuguese, English and Spanish. Pages can replace individual texts.

import { isApple } from "./browser.js";
import { ErrorCode } from "./errors.js";

/**
 * @typedef {object} Texts
 * @property {string} language language of the texts for screen readers, as a BCP 47 tag
 * @property {string} camera name of the dialog
 * @property {string} progress name of the progress bar
 * @property {string} loading
 * @property {string} step progress through several photos, with `{photo}` and `{total}`
 * @property {string} received a photo of several arrived, with `{photo}`, `{next}` and `{title}`
 * @property {string} noted what the sender of a link asks for about this photo, with `{sender}` and `{note}`
 * @property {string} pass leaves an optional photo out
 * @property {string} passing asks whether to leave the photo out
 * @property {string} stay
 * @property {string} compass why the compass is asked for
 * @property {string} allowCompass
 * @property {string} skip
 * @property {string} position why the position is asked for, if the license requires it
 * @property {string} allowPosition
 * @property {string} locating waiting for the position
 * @property {string} positionLate the position takes long
 * @property {string} noPosition heading for a position that was refused
 * @property {string} positionInChrome how to allow the position in Chrome
 * @property {string} positionInSafari
 * @property {string} live
 * @property {string} shutter
 * @property {string} capturing
 * @property {string} review
 * @property {string} photo description of the photo under review
 * @property {string} retake
 * @property {string} confirm
 * @property {string} stale the photo's upload URL expired during the review
 * @property {string} elsewhere another device sent the photo that was under review
 * @property {string} uploading
 * @property {string} signing
 * @property {string} failed
 * @property {string} recaptured heading if the service took the photo for one of a screen
 * @property {string} recapturedAdvice
 * @property {string} notSent heading if the photo can be sent again
 * @property {string} kept the photo is kept after a network failure
 * @property {string} keptByService the photo is kept after a failure of the service
 * @property {string} altered the received photo is not the one that the service signed
 * @property {string} again
 * @property {string} noCamera how to let the page use the camera in Chrome
 * @property {string} noCameraInSafari
 * @property {string} cameraLate the camera is open but shows no picture yet
 * @property {string} cameraLost the camera was taken away and is being opened again
 * @property {string} cameraStuck the camera did not reopen; the person can open it
 * @property {string} reopen
 * @property {string} torch
 * @property {string} zoom
 * @property {string} otherLens
 * @property {string} dark hint
 * @property {string} darkTorch hint if the camera has a light that is off
 * @property {string} turnSideways hint for a wide photo
 * @property {string} turnUpright hint for a tall photo
 * @property {string} blurred hint for the photo under review
 * @property {string} small hint for a photo with fewer pixels than asked for
 * @property {string} useTorch advice for a photo that needs light
 * @property {string} cameraBusy the camera could not be opened, or was taken away
 * @property {string} noNetwork
 * @property {string} noService the service failed
 * @property {string} noLicense the page's license was refused
 * @property {string} otherBrowser which browsers can be used
 * @property {string} desktopSite how a tablet's Chrome stops asking for the desktop site
 * @property {string} unforeseen an unexpected exception
 * @property {string} close
 */

/** @type {Readonly<Texts>} */
export const PORTUGUESE = Object.freeze({
  language: "pt-BR",
  progress: "Andamento",
  camera: "Câmera",
  loading: "Preparando a câmera…",
  step: "Foto {photo} de {total}",
  received: "Foto {photo} recebida. Agora, a foto {next}: {title}.",
  noted: "Recado de {sender}: {note}",
  pass: "Pular: não tenho isto",
  passing: "Esta foto é opcional. Depois de pulada, ela não pode mais ser tirada com este link.",
  stay: "Voltar à câmera",
  compass: "Permita a bússola para registrar a direção da foto.",
  allowCompass: "Permitir bússola",
  skip: "Continuar sem bússola",
  position: "Esta foto só é aceita com a localização. O navegador vai pedir o uso dela: permita.",
  allowPosition: "Permitir localização",
  locating: "Esperando a localização…",
  positionLate: "A localização está demorando. Veja se ela está ligada nas configurações do aparelho e, se puder, vá para um lugar aberto.",
  noPosition: "A localização não foi permitida",
  positionInChrome: "Toque no ícone à esquerda do endereço, depois em «Permissões», e permita a localização. Veja também se ela está ligada nas configurações do aparelho. Depois toque em «Permitir localização».",
  positionInSafari: "Abra os Ajustes do aparelho, em «Privacidade e Segurança», «Serviços de Localização», «Sites do Safari», e escolha «Durante o Uso do App». Depois toque em «Permitir localização».",
  live: "Enquadre e tire a foto",
  shutter: "Tirar foto",
  capturing: "Não mova o aparelho…",
  review: "A foto ficou boa?",
  photo: "A foto que você tirou",
  retake: "Tirar outra",
  confirm: "Usar esta foto",
  stale: "A foto esperou demais para ser enviada. Tire outra.",
  elsewhere: "Outro aparelho enviou esta foto. Tire a próxima.",
  uploading: "Enviando a foto…",
  signing: "Assinando a foto…",
  recaptured: "Fotografe o próprio objeto, não uma tela",
  recapturedAdvice: "A foto parece ser de uma tela ou de outra foto, e por isso não foi aceita. Vá até o objeto, evite reflexos e toque em «Tirar outra».",
  notSent: "A foto ainda não foi enviada",
  kept: "Ela está guardada nesta página: não a feche. Verifique a conexão com a internet e toque em «Enviar de novo».",
  keptByService: "Ela está guardada nesta página: não a feche. O serviço não está funcionando agora. Espere um pouco e toque em «Enviar de novo».",
  altered: "A foto foi assinada, mas o que chegou a esta página é diferente do que o serviço assinou. Toque em «Enviar de novo» para buscar a foto outra vez.",
  again: "Enviar de novo",
  failed: "Não foi possível concluir",
  noCamera: "Toque no ícone à esquerda do endereço, depois em «Permissões», e permita a câmera. Depois abra a câmera de novo.",
  noCameraInSafari: "Toque no botão à esquerda do endereço, depois em «Ajustes do Site», e em «Câmera» escolha «Permitir». Depois recarregue a página e abra a câmera de novo.",
  cameraLate: "A câmera está demorando. Espere um pouco ou feche outros aplicativos que a usam.",
  cameraLost: "A câmera parou. Abrindo de novo…",
  cameraStuck: "A câmera não voltou. Feche outros aplicativos que a usam e toque em «Abrir a câmera».",
  reopen: "Abrir a câmera",
  torch: "Lanterna",
  zoom: "Zoom 2×",
  otherLens: "Outra lente",
  dark: "Está escuro. Procure um lugar com mais luz.",
  darkTorch: "Está escuro. Ligue a lanterna.",
  turnSideways: "Vire o celular de lado.",
  turnUpright: "Vire o celular em pé.",
  blurred: "A foto parece tremida. Tirar outra?",
  small: "A foto saiu pequena. Vire o celular e tire outra.",
  useTorch: "Use a lanterna.",
  cameraBusy: "A câmera não está disponível. Feche outros aplicativos que a usam e abra a câmera de novo.",
  noNetwork: "Verifique a conexão com a internet e abra a câmera de novo.",
  noService: "O serviço não está funcionando agora. Abra a câmera de novo mais tarde.",
  noLicense: "Esta página não pode tirar fotos agora. Avise quem a mantém.",
  otherBrowser: "Use o Safari no iPhone ou iPad, ou o Chrome no Android.",
  desktopSite: "Em um tablet, abra o menu ⋮ do Chrome, desmarque «Site para computador» e tente de novo. Em um computador, use o celular.",
  unforeseen: "Houve um erro inesperado. Abra de novo.",
  close: "Fechar",
});

/** @type {Readonly<Texts>} */
export const ENGLISH = Object.freeze({
  language: "en",
  progress: "Progress",
  camera: "Camera",
  loading: "Getting the camera ready…",
  step: "Photo {photo} of {total}",
  received: "Photo {photo} has arrived. Now photo {next}: {title}.",
  noted: "Message from {sender}: {note}",
  pass: "Skip: I have none",
  passing: "This photo is optional. Once skipped, it can no longer be taken with this link.",
  stay: "Back to the camera",
  compass: "Allow the compass to record where the photo was taken towards.",
  allowCompass: "Allow compass",
  skip: "Go on without it",
  position: "This photo is only accepted with a location. The browser is going to ask for it: allow it.",
  allowPosition: "Allow location",
  locating: "Waiting for the location…",
  positionLate: "The location is taking long. Check that it is on in the phone's settings, and go into the open if you can.",
  noPosition: "The location was not allowed",
  positionInChrome: "Tap the icon to the left of the address, then “Permissions”, and allow the location. Check, too, that it is on in the phone's settings. Then tap “Allow location”.",
  positionInSafari: "Open the phone's Settings, then “Privacy & Security”, “Location Services”, “Safari Websites”, and choose “While Using the App”. Then tap “Allow location”.",
  live: "Frame the subject and take the photo",
  shutter: "Take photo",
  capturing: "Hold still…",
  review: "Is the photo good?",
  photo: "The photo that you took",
  retake: "Take another",
  confirm: "Use this photo",
  stale: "The photo waited too long to be sent. Take another one.",
  elsewhere: "Another device sent this photo. Take the next one.",
  uploading: "Sending the photo…",
  signing: "Signing the photo…",
  recaptured: "Photograph the object itself, not a screen",
  recapturedAdvice: "The photo looks like one of a screen or of another photo, so it was not accepted. Go to the object, avoid reflections, and tap “Take another”.",
  notSent: "The photo was not sent yet",
  kept: "It is kept on this page: do not close it. Check the connection to the internet, and tap “Send again”.",
  keptByService: "It is kept on this page: do not close it. The service does not work now. Wait a little, and tap “Send again”.",
  altered: "The photo was signed, but what arrived on this page differs from what the service signed. Tap “Send again” to fetch it once more.",
  again: "Send again",
  failed: "This did not work",
  noCamera: "Tap the icon to the left of the address, then “Permissions”, and allow the camera. Then open the camera again.",
  noCameraInSafari: "Tap the button to the left of the address, then “Website Settings”, and under “Camera” choose “Allow”. Then reload the page, and open the camera again.",
  cameraLate: "The camera is taking long. Wait a little, or close other apps that use it.",
  cameraLost: "The camera stopped. Opening it again…",
  cameraStuck: "The camera did not come back. Close other apps that use it, and tap “Open the camera”.",
  reopen: "Open the camera",
  torch: "Torch",
  zoom: "2× zoom",
  otherLens: "Other lens",
  dark: "It is dark. Look for a place with more light.",
  darkTorch: "It is dark. Switch the torch on.",
  turnSideways: "Turn the phone on its side.",
  turnUpright: "Hold the phone upright.",
  blurred: "The photo looks blurred. Take another one?",
  small: "The photo is small. Turn the phone, and take another one.",
  useTorch: "Use the torch.",
  cameraBusy: "The camera is not available. Close other apps that use it, and open the camera again.",
  noNetwork: "Check the connection to the internet, and open the camera again.",
  noService: "The service does not work now. Open the camera again later.",
  noLicense: "This page cannot take photos now. Inform whoever runs it.",
  otherBrowser: "Use Safari on an iPhone or iPad, or Chrome on Android.",
  desktopSite: "On a tablet, open Chrome's menu ⋮, clear “Desktop site”, and try again. On a computer, use a phone instead.",
  unforeseen: "An unexpected error occurred. Open the camera again.",
  close: "Close",
});

/** @type {Readonly<Texts>} */
export const SPANISH = Object.freeze({
  language: "es",
  progress: "Progreso",
  camera: "Cámara",
  loading: "Preparando la cámara…",
  step: "Foto {photo} de {total}",
  received: "Foto {photo} recibida. Ahora, la foto {next}: {title}.",
  noted: "Mensaje de {sender}: {note}",
  pass: "Omitir: no tengo esto",
  passing: "Esta foto es opcional. Si la omite, ya no podrá tomarla con este enlace.",
  stay: "Volver a la cámara",
  compass: "Permita la brújula para registrar la dirección de la foto.",
  allowCompass: "Permitir brújula",
  skip: "Continuar sin brújula",
  position: "Esta foto solo se acepta con la ubicación. El navegador la va a pedir: permítala.",
  allowPosition: "Permitir ubicación",
  locating: "Esperando la ubicación…",
  positionLate: "La ubicación está tardando. Compruebe que está activada en los ajustes del teléfono y, si puede, vaya a un lugar abierto.",
  noPosition: "La ubicación no fue permitida",
  positionInChrome: "Toque el icono a la izquierda de la dirección, luego «Permisos», y permita la ubicación. Compruebe también que está activada en los ajustes del teléfono. Luego toque «Permitir ubicación».",
  positionInSafari: "Abra los Ajustes (o la Configuración) del teléfono, en «Privacidad y seguridad», «Localización», «Sitios web de Safari», y elija «Al usar la app». Luego toque «Permitir ubicación».",
  live: "Encuadre y tome la foto",
  shutter: "Tomar foto",
  capturing: "No mueva el teléfono…",
  review: "¿La foto quedó bien?",
  photo: "La foto que tomó",
  retake: "Tomar otra",
  confirm: "Usar esta foto",
  stale: "La foto esperó demasiado para enviarse. Tome otra.",
  elsewhere: "Otro aparato envió esta foto. Tome la siguiente.",
  uploading: "Enviando la foto…",
  signing: "Firmando la foto…",
  recaptured: "Fotografíe el objeto mismo, no una pantalla",
  recapturedAdvice: "La foto parece ser de una pantalla o de otra foto, y por eso no fue aceptada. Vaya hasta el objeto, evite reflejos y toque «Tomar otra».",
  notSent: "La foto aún no se envió",
  kept: "Está guardada en esta página: no la cierre. Verifique la conexión a internet y toque «Enviar de nuevo».",
  keptByService: "Está guardada en esta página: no la cierre. El servicio no funciona ahora. Espere un poco y toque «Enviar de nuevo».",
  altered: "La foto fue firmada, pero lo que llegó a esta página es distinto de lo que el servicio firmó. Toque «Enviar de nuevo» para buscarla otra vez.",
  again: "Enviar de nuevo",
  failed: "No fue posible terminar",
  noCamera: "Toque el icono a la izquierda de la dirección, luego «Permisos», y permita la cámara. Después abra la cámara de nuevo.",
  noCameraInSafari: "Toque el botón a la izquierda de la dirección, luego «Configuración del sitio web» o «Ajustes del sitio web», y en «Cámara» elija «Permitir». Después recargue la página y abra la cámara de nuevo.",
  cameraLate: "La cámara está tardando. Espere un poco o cierre otras aplicaciones que la usan.",
  cameraLost: "La cámara se detuvo. Abriéndola de nuevo…",
  cameraStuck: "La cámara no volvió. Cierre otras aplicaciones que la usan y toque «Abrir la cámara».",
  reopen: "Abrir la cámara",
  torch: "Linterna",
  zoom: "Zoom 2×",
  otherLens: "Otra lente",
  dark: "Está oscuro. Busque un lugar con más luz.",
  darkTorch: "Está oscuro. Encienda la linterna.",
  turnSideways: "Gire el teléfono de lado.",
  turnUpright: "Ponga el teléfono en vertical.",
  blurred: "La foto parece movida. ¿Tomar otra?",
  small: "La foto salió pequeña. Gire el teléfono y tome otra.",
  useTorch: "Use la linterna.",
  cameraBusy: "La cámara no está disponible. Cierre otras aplicaciones que la usan y abra la cámara de nuevo.",
  noNetwork: "Verifique la conexión a internet y abra la cámara de nuevo.",
  noService: "El servicio no funciona ahora. Abra la cámara de nuevo más tarde.",
  noLicense: "Esta página no puede tomar fotos ahora. Avise a quien la mantiene.",
  otherBrowser: "Use Safari en un iPhone o iPad, o Chrome en Android.",
  desktopSite: "En una tableta, abra el menú ⋮ de Chrome, desmarque «Sitio para computadoras» o «Versión para ordenador» e intente de nuevo. En una computadora, use el teléfono.",
  unforeseen: "Hubo un error inesperado. Abra de nuevo.",
  close: "Cerrar",
});

const LANGUAGES = [PORTUGUESE, ENGLISH, SPANISH];

/**
 * A text with the values of its places, which stand in braces.
 * @param {string} text
 * @param {Record<string, string | number>} values
 */
export function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place));
}

/**
 * The texts of a language: Spanish or English for these, otherwise Portuguese.
 * @param {string} language a BCP 47 tag
 * @param {Partial<Texts>} replaced
 * @returns {Texts}
 */
export function textsOf(language, replaced) {
  const primary = primaryOf(language);
  return { ...(LANGUAGES.find((texts) => primaryOf(texts.language) === primary) ?? PORTUGUESE), ...replaced };
}

/** @param {string} language */
function primaryOf(language) {
  return language.split("-")[0]?.toLowerCase();
}

/**
 * The explanation of a failure for the person with the phone: what to do, or else the service's own reason, which
 * is in Portuguese.
 * @param {Texts} texts
 * @param {import("./errors.js").SvcCameraError} error
 * @returns {{ text: string, language: string }}
 */
export function explain(texts, { code, message, details }) {
  const own = (/** @type {string} */ text) => ({ text, language: texts.language });
  if (code === ErrorCode.STREAM_OPEN_FAILED) {
    if (details.name !== "NotAllowedError") return own(texts.cameraBusy);
    return own(isApple() ? texts.noCameraInSafari : texts.noCamera);
  }
  if (code === ErrorCode.LICENSE_INVALID) return own(texts.noLicense);
  if (details.recaptureRisk) return own(texts.recapturedAdvice);
  if (details.status === undefined) return own(texts.noNetwork);
  const refused = details.status < 500 && !details.gateway && code !== ErrorCode.LICENSE_NETWORK_ERROR;
  return refused ? { text: message, language: PORTUGUESE.language } : own(texts.noService);
}
