// Texts of the page in English. The page loads them where the browser speaks it.

/** @type {Readonly<import("./texts.js").Texts>} */
export const ENGLISH = {
  language: "en",
  start: {
    title: "Take the photos here",
    body: ["The photos are taken on this page and signed electronically by this service at once, so that anyone can check that they were not changed."],
  },
  asked: ["The browser is going to ask for the camera.", "Then for your location, which is recorded with the photo. You may refuse it, unless these photos require it: then the page says so."],
  checking: { title: "One moment…", body: ["Checking which photos have arrived."] },
  resume: { title: "Go on with the photos", body: ["Closing the camera or the page does not delete the photos that you have sent."] },
  done: { title: "Done", body: ["All photos have arrived. You can close this page."] },
  redirecting: { title: "Done", body: ["All photos have arrived. Thank you! If you like, keep the receipt of what was sent."] },
  noLink: { title: "The link is incomplete", body: ["Open the link that you received again."] },
  notFound: { title: "The link is not valid", body: ["Check that the link is whole, or ask its sender for a new one."] },
  expired: { title: "The link has expired", body: ["It is valid for 30 minutes. Ask its sender for a new one."] },
  used: { title: "The photos have been sent", body: ["This link was used to its end. There is nothing left to do."] },
  tooManyLoads: { title: "The link was opened too often", body: ["Ask its sender for a new one."] },
  refused: { title: "The service refused", body: ["Ask the sender for a new link. The service said:"] },
  noNetwork: { title: "No connection", body: ["Check the internet and try again. What you have sent is safe."] },
  noService: { title: "The service does not work", body: ["Try again in a few minutes. What you have sent is safe."] },
  noCamera: {
    title: "The camera was not allowed",
    body: [
      "The photos cannot be taken without the camera. Tap the icon to the left of the address, then “Permissions”, and allow the camera.",
      "If “Permissions” does not show, open the phone's settings, “Apps”, “Chrome”, “Permissions”, and allow the camera. Then tap “Try again”, or open the link on another phone.",
    ],
  },
  noCameraInSafari: {
    title: "The camera was not allowed",
    body: [
      "The photos cannot be taken without the camera. Tap the button to the left of the address, then “Website Settings”, and under “Camera” choose “Allow”.",
      "If there is no such option, open the phone's Settings, “Apps”, “Safari”, “Camera”, and choose “Ask” or “Allow”. Then tap “Try again”: the page reloads. Or open the link on another phone.",
    ],
  },
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
  back: "In {seconds} seconds you go back to the site that asked for the photos.",
  taken: "{photo} of {total} photos sent",
  takenAll: "{total} photos sent",
  begin: "Begin",
  goOn: "Continue",
  again: "Try again",
  proceed: "Continue",
};
