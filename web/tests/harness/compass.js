// iOS's compass: it asks the person, from within a tap only, and its events have a heading. Chromium grants it unasked.
// These run in the page before its scripts.

/** The person has not been asked yet: the first request, which comes without a tap, is refused, and a later one without, too. */
export function asksForCompass() {
  let asked = 0;
  const requestPermission = async () => {
    asked += 1;
    if (asked === 1 || !navigator.userActivation.isActive) throw new DOMException("It requires a user gesture", "NotAllowedError");
    window.compassGranted = true;
    return "granted";
  };
  Object.assign(DeviceOrientationEvent, { requestPermission });
}

/**
 * The phone's top points there: an event of iOS.
 * @param {number} heading degrees
 */
export function pointTo(heading) {
  dispatchEvent(Object.assign(new Event("deviceorientation"), { webkitCompassHeading: heading }));
}

/**
 * The phone stands upright, turned so: an event of Android. The machine has no sensors that Chromium could read.
 * @param {{ alpha: number, beta: number, gamma: number }} angles
 */
export function turnTo(angles) {
  dispatchEvent(new DeviceOrientationEvent("deviceorientationabsolute", { absolute: true, ...angles }));
}
