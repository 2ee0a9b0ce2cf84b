// Mocks of iOS's compass, which requires permission from within a tap and reports a heading. Chromium grants it
// without asking. These functions run in the page before its scripts.

/** The permission was not requested yet: requests without a tap are refused. */
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
 * Dispatches iOS's event for a phone that points in this direction.
 * @param {number} heading degrees
 */
export function pointTo(heading) {
  dispatchEvent(Object.assign(new Event("deviceorientation"), { webkitCompassHeading: heading }));
}

/**
 * Dispatches Android's event for an upright phone with this rotation, because the machine has no sensors.
 * @param {{ alpha: number, beta: number, gamma: number }} angles
 */
export function turnTo(angles) {
  dispatchEvent(new DeviceOrientationEvent("deviceorientationabsolute", { absolute: true, ...angles }));
}
