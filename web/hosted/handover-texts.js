// Texts of the page where no photo can be taken, in Portuguese, English and Spanish.

/** @typedef {import("./texts.js").Words} Words */

/**
 * Texts that lead to a browser that can take photos, for one operating system.
 * @typedef {object} Way
 * @property {string} title
 * @property {string} inside says that the page is open in the app `{app}`
 * @property {string} elsewhere says the same if the app is unknown
 * @property {string} open
 * @property {string} stays title if the tap on the link had no effect
 * @property {string[]} steps steps to follow in that case
 */

/**
 * @typedef {object} HandoverTexts
 * @property {string} language
 * @property {Words} computer
 * @property {Words} desktopSite for a tablet whose Chrome requests desktop sites, or a computer with a touch screen
 * @property {Words} oldBrowser
 * @property {Way} Android
 * @property {Way} iOS
 * @property {string} otherDevice
 * @property {Words} following
 * @property {string} copy
 * @property {string} copied
 * @property {string} code
 */

/** @type {Readonly<HandoverTexts>} */
const PORTUGUESE = {
  language: "pt-BR",
  computer: { title: "Continue no celular", body: ["As fotos são tiradas com um celular. Aponte a câmera dele para este código."] },
  desktopSite: {
    title: "Este aparelho é um tablet ou celular?",
    body: [
      "No menu ⋮ do Chrome, desmarque «Site para computador». A página é aberta de novo, e as fotos podem ser tiradas aqui.",
      "Se for um computador, aponte a câmera de um celular para este código.",
    ],
  },
  oldBrowser: {
    title: "Atualize o navegador",
    body: ["Esta versão do navegador não tira as fotos. Atualize o iOS, ou o Chrome, e abra o link de novo. Ou aponte a câmera de outro celular para este código."],
  },
  Android: {
    title: "Continue no Chrome",
    inside: "Parece que este link foi aberto no {app}. As fotos são tiradas no Chrome, neste mesmo aparelho.",
    elsewhere: "Parece que este link foi aberto dentro de outro aplicativo. As fotos são tiradas no Chrome, neste mesmo aparelho.",
    open: "Abrir no Chrome",
    stays: "O Chrome não abriu?",
    steps: [
      "Toque no menu ⋮ ou ⋯, no alto da tela, e escolha «Abrir no Chrome» ou «Abrir no navegador».",
      "Se não houver essa opção, copie o link, abra o Chrome e cole o link na barra de endereço.",
    ],
  },
  iOS: {
    title: "Continue no Safari",
    inside: "Parece que este link foi aberto no {app}. As fotos são tiradas no Safari, neste mesmo aparelho.",
    elsewhere: "Parece que este link foi aberto dentro de outro aplicativo. As fotos são tiradas no Safari, neste mesmo aparelho.",
    open: "Abrir no Safari",
    stays: "O Safari não abriu?",
    steps: [
      "Toque no menu ⋯ ou no botão de compartilhar e escolha «Abrir no Safari» ou «Abrir no navegador».",
      "Se não houver essa opção, copie o link, abra o Safari e cole o link na barra de endereço.",
    ],
  },
  otherDevice: "Ou aponte a câmera de outro celular para este código.",
  following: { title: "Continue no celular", body: ["Esta página acompanha as fotos que você tira lá."] },
  copy: "Copiar o link",
  copied: "O link foi copiado.",
  code: "Código QR do link",
};

/** @type {Readonly<HandoverTexts>} */
const ENGLISH = {
  language: "en",
  computer: { title: "Continue on your phone", body: ["The photos are taken with a phone. Point its camera at this code."] },
  desktopSite: {
    title: "Is this a tablet or a phone?",
    body: [
      "In Chrome's menu ⋮, clear “Desktop site”. The page opens again, and the photos can be taken here.",
      "If it is a computer, point the camera of a phone at this code.",
    ],
  },
  oldBrowser: {
    title: "Update the browser",
    body: ["This version of the browser does not take the photos. Update iOS, or Chrome, and open the link again. Or point the camera of another phone at this code."],
  },
  Android: {
    title: "Continue in Chrome",
    inside: "This link seems to be open in {app}. The photos are taken in Chrome, on this same device.",
    elsewhere: "This link seems to be open inside another app. The photos are taken in Chrome, on this same device.",
    open: "Open in Chrome",
    stays: "Did Chrome not open?",
    steps: [
      "Tap the menu ⋮ or ⋯ at the top of the screen, and choose “Open in Chrome” or “Open in browser”.",
      "If there is no such option, copy the link, open Chrome, and paste the link into the address bar.",
    ],
  },
  iOS: {
    title: "Continue in Safari",
    inside: "This link seems to be open in {app}. The photos are taken in Safari, on this same device.",
    elsewhere: "This link seems to be open inside another app. The photos are taken in Safari, on this same device.",
    open: "Open in Safari",
    stays: "Did Safari not open?",
    steps: [
      "Tap the menu ⋯ or the share button, and choose “Open in Safari” or “Open in browser”.",
      "If there is no such option, copy the link, open Safari, and paste the link into the address bar.",
    ],
  },
  otherDevice: "Or point the camera of another phone at this code.",
  following: { title: "Continue on your phone", body: ["This page follows the photos that you take there."] },
  copy: "Copy the link",
  copied: "The link is copied.",
  code: "QR code of the link",
};

/** @type {Readonly<HandoverTexts>} */
const SPANISH = {
  language: "es",
  computer: { title: "Continúe en el teléfono", body: ["Las fotos se toman con un teléfono. Apunte su cámara a este código."] },
  desktopSite: {
    title: "¿Este aparato es una tableta o un teléfono?",
    body: [
      "En el menú ⋮ de Chrome, desmarque «Sitio para computadoras» o «Versión para ordenador». La página se abre de nuevo, y las fotos se pueden tomar aquí.",
      "Si es una computadora, apunte la cámara de un teléfono a este código.",
    ],
  },
  oldBrowser: {
    title: "Actualice el navegador",
    body: ["Esta versión del navegador no toma las fotos. Actualice iOS, o Chrome, y abra el enlace de nuevo. O apunte la cámara de otro teléfono a este código."],
  },
  Android: {
    title: "Continúe en Chrome",
    inside: "Parece que este enlace se abrió en {app}. Las fotos se toman en Chrome, en este mismo aparato.",
    elsewhere: "Parece que este enlace se abrió dentro de otra aplicación. Las fotos se toman en Chrome, en este mismo aparato.",
    open: "Abrir en Chrome",
    stays: "¿Chrome no se abrió?",
    steps: [
      "Toque el menú ⋮ o ⋯, en lo alto de la pantalla, y elija «Abrir en Chrome» o «Abrir en el navegador».",
      "Si no existe esa opción, copie el enlace, abra Chrome y pegue el enlace en la barra de direcciones.",
    ],
  },
  iOS: {
    title: "Continúe en Safari",
    inside: "Parece que este enlace se abrió en {app}. Las fotos se toman en Safari, en este mismo aparato.",
    elsewhere: "Parece que este enlace se abrió dentro de otra aplicación. Las fotos se toman en Safari, en este mismo aparato.",
    open: "Abrir en Safari",
    stays: "¿Safari no se abrió?",
    steps: [
      "Toque el menú ⋯ o el botón de compartir y elija «Abrir en Safari» o «Abrir en el navegador».",
      "Si no existe esa opción, copie el enlace, abra Safari y pegue el enlace en la barra de direcciones.",
    ],
  },
  otherDevice: "O apunte la cámara de otro teléfono a este código.",
  following: { title: "Continúe en el teléfono", body: ["Esta página acompaña las fotos que toma allí."] },
  copy: "Copiar el enlace",
  copied: "El enlace fue copiado.",
  code: "Código QR del enlace",
};

/** The texts by language; the first is the default. */
export const HANDOVER_LANGUAGES = [PORTUGUESE, ENGLISH, SPANISH];

/** @param {string} language a language of `texts.js` */
export function handoverTextsFor(language) {
  return HANDOVER_LANGUAGES.find((texts) => texts.language === language) ?? PORTUGUESE;
}
