"""The position that a sensor sample sees: lens distortion, lateral color, rolling shutter, tilt and rotation.

The camera is a pinhole with a radial polynomial (Brown 1966); the subject is a plane."""

from dataclasses import dataclass

import numpy as np
from numba import njit


@dataclass
class View:
    """The view of a plane. Angles are in radians, lengths in the plane's units."""

    columns: int  # fine samples across
    rows: int  # and down
    across: float  # units of the plane that the frame's height spans at its middle
    center: tuple  # the point of the plane in the middle of the frame
    rotation: float = 0.0
    tilt: float = 0.0
    tilt_direction: float = 0.0
    distortion: float = 0.0  # of the radius at the frame's corner, relative
    lateral: tuple = (0.0, 0.0, 0.0)  # how much larger each color is drawn, relative
    skew: float = 0.0  # the rolling shutter's: across, over the frame's height, relative to it
    wobble: float = 0.0
    focal: float = 1.1  # in frame heights

    def numbers(self):
        normal = np.array([np.sin(self.tilt) * np.cos(self.tilt_direction), np.sin(self.tilt) * np.sin(self.tilt_direction),
                           np.cos(self.tilt)])
        ex = np.array([1.0, 0.0, 0.0]) - normal[0] * normal
        ex /= np.linalg.norm(ex)
        ey = np.cross(normal, ex)
        turn = np.array([[np.cos(self.rotation), np.sin(self.rotation)], [-np.sin(self.rotation), np.cos(self.rotation)]])
        axes = turn @ np.stack([ex, ey])
        corner = 0.25 * (1 + (self.columns / self.rows) ** 2)
        return np.array([self.columns, self.rows, self.across, *self.center, self.distortion / corner, *self.lateral, self.skew,
                         self.wobble, self.focal, *normal, *axes[0], *axes[1]], np.float64)


@njit(fastmath=True, cache=True)
def place(view, i, j, color):
    """The point of the plane that a fine sample sees in one color."""
    rows = view[1]
    u, v = (i + 0.5 - view[0] / 2) / rows, (j + 0.5) / rows - 0.5
    u += view[9] * v + view[10] * np.sin(9.0 * v)
    bent = (1 + view[5] * (u * u + v * v)) * (1 + view[6 + color])
    u, v, focal = u * bent, v * bent, view[11]
    depth = focal * view[14] / (view[12] * u + view[13] * v + view[14] * focal)
    px, py, pz = depth * u, depth * v, depth * focal - focal
    x = px * view[15] + py * view[16] + pz * view[17]
    y = px * view[18] + py * view[19] + pz * view[20]
    return view[3] + view[2] * x, view[4] + view[2] * y
