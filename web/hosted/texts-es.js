// Texts of the page in Spanish. The page loads them where the browser speaks it.

/** @type {Readonly<import("./texts.js").Texts>} */
export const SPANISH = {
  language: "es",
  start: {
    title: "Tome las fotos aquí",
    body: ["Las fotos se toman en esta página y este servicio las firma electrónicamente al momento, para que se pueda comprobar que no fueron alteradas."],
  },
  asked: ["El navegador va a pedir el uso de la cámara.", "Después, la ubicación, que se registra con la foto. Puede rechazarla, salvo que estas fotos la exijan: en ese caso, la página avisa."],
  checking: { title: "Un momento…", body: ["Comprobando qué fotos llegaron."] },
  resume: { title: "Continúe las fotos", body: ["Cerrar la cámara o la página no borra las fotos que ya envió."] },
  done: { title: "Listo", body: ["Todas las fotos fueron recibidas. Puede cerrar esta página."] },
  redirecting: { title: "Listo", body: ["Todas las fotos fueron recibidas. ¡Gracias! Si quiere, guarde el comprobante de lo enviado."] },
  noLink: { title: "El enlace está incompleto", body: ["Abra de nuevo el enlace que recibió."] },
  notFound: { title: "El enlace no es válido", body: ["Compruebe que el enlace está entero, o pida uno nuevo a quien lo envió."] },
  expired: { title: "El enlace venció", body: ["Vale por 30 minutos. Pida uno nuevo a quien lo envió."] },
  used: { title: "Las fotos ya fueron enviadas", body: ["Este enlace ya fue usado hasta el final. No hace falta nada más."] },
  tooManyLoads: { title: "El enlace se abrió demasiadas veces", body: ["Pida uno nuevo a quien lo envió."] },
  refused: { title: "El servicio no aceptó", body: ["Pida un nuevo enlace a quien lo envió. El servicio dijo:"] },
  noNetwork: { title: "Sin conexión", body: ["Verifique internet e intente de nuevo. Lo que ya envió está guardado."] },
  noService: { title: "El servicio no funciona", body: ["Intente de nuevo en unos minutos. Lo que ya envió está guardado."] },
  noCamera: {
    title: "La cámara no fue permitida",
    body: [
      "Sin la cámara no es posible tomar las fotos. Toque el icono a la izquierda de la dirección, luego «Permisos», y permita la cámara.",
      "Si «Permisos» no aparece, abra los ajustes del teléfono, en «Aplicaciones», «Chrome», «Permisos», y permita la cámara. Después toque «Intentar de nuevo», o abra el enlace en otro teléfono.",
    ],
  },
  noCameraInSafari: {
    title: "La cámara no fue permitida",
    body: [
      "Sin la cámara no es posible tomar las fotos. Toque el botón a la izquierda de la dirección, luego «Configuración del sitio web» o «Ajustes del sitio web», y en «Cámara» elija «Permitir».",
      "Si no hay esa opción, abra los Ajustes (o la Configuración) del teléfono, en «Apps», «Safari», «Cámara», y elija «Preguntar» o «Permitir». Después toque «Intentar de nuevo»: la página se recarga. O abra el enlace en otro teléfono.",
    ],
  },
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
  back: "En {seconds} segundos volverá al sitio de quien pidió las fotos.",
  taken: "{photo} de {total} fotos enviadas",
  takenAll: "{total} fotos enviadas",
  begin: "Empezar",
  goOn: "Continuar",
  again: "Intentar de nuevo",
  proceed: "Continuar",
};
