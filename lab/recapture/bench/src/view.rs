//! The view of a pinhole camera on a plane.

/// Maps a position in the frame to the visible position on the plane.
#[derive(Clone, Copy, Debug)]
pub struct View {
    matrix: [[f32; 3]; 3],
}

/// The pose of a camera in front of a plane.
#[derive(Clone, Copy, Debug)]
pub struct Pose {
    /// Frame pixels per unit of the plane, in the middle of the frame.
    pub scale: f32,
    /// Rotation about the line of sight, in degrees; 0 is parallel.
    pub turn: f32,
    /// Tilt to the side and tilt up, in degrees.
    pub tilt: (f32, f32),
    /// The position on the plane in the middle of the frame.
    pub center: (f32, f32),
}

/// Focal length of a phone's main camera, relative to the frame's longer side.
const FOCAL_LENGTH: f32 = 0.75;

impl View {
    /// The view of a camera with this frame size and pose.
    #[must_use]
    pub fn new((width, height): (usize, usize), pose: Pose) -> View {
        let focal = width.max(height) as f32 * FOCAL_LENGTH;
        let (sin_turn, cos_turn) = pose.turn.to_radians().sin_cos();
        let (sin_side, cos_side) = pose.tilt.0.to_radians().sin_cos();
        let (sin_up, cos_up) = pose.tilt.1.to_radians().sin_cos();
        // The plane's axes, rotated, then tilted about the camera's vertical and horizontal axes.
        let tilted = |x: f32, y: f32| {
            let (depth, x) = (x * sin_side, x * cos_side);
            [x, y * cos_up - depth * sin_up, y * sin_up + depth * cos_up]
        };
        let (right, down) = (tilted(cos_turn, sin_turn), tilted(-sin_turn, cos_turn));
        let distance = focal / pose.scale;
        // Maps the plane's (u, v, 1) to the sensor's (x, y, 1). Its inverse is needed.
        let to_frame = [
            [focal * right[0], focal * down[0], 0.0],
            [focal * right[1], focal * down[1], 0.0],
            [right[2], down[2], distance],
        ];
        let inverse = adjugate(to_frame);
        let determinant: f32 = (0..3).map(|i| to_frame[0][i] * inverse[i][0]).sum();
        let unit = inverse.map(|row| row.map(|value| value / determinant * distance));
        // The offset of the center is applied after the perspective division, by adding multiples of the last row.
        let shift = [pose.center.0, pose.center.1];
        let moved = [0, 1].map(|i| std::array::from_fn(|k| unit[i][k] + shift[i] * unit[2][k]));
        let (middle_x, middle_y) = (width as f32 / 2.0, height as f32 / 2.0);
        let centered = |row: [f32; 3]| [row[0], row[1], row[2] - row[0] * middle_x - row[1] * middle_y];
        View { matrix: [centered(moved[0]), centered(moved[1]), centered(unit[2])] }
    }

    /// The position on the plane that is visible at a position in the frame.
    #[must_use]
    pub fn at(&self, x: f32, y: f32) -> (f32, f32) {
        let [u, v, w] = self.matrix.map(|row| row[0] * x + row[1] * y + row[2]);
        (u / w, v / w)
    }
}

/// The inverse of a matrix times its determinant.
fn adjugate(m: [[f32; 3]; 3]) -> [[f32; 3]; 3] {
    let minor = |r: usize, c: usize| {
        let (r1, r2, c1, c2) = ((r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3);
        m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1]
    };
    std::array::from_fn(|r| std::array::from_fn(|c| minor(c, r)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_the_center_to_scale() {
        let pose = Pose { scale: 3.0, turn: 20.0, tilt: (15.0, -10.0), center: (100.0, -40.0) };
        let view = View::new((1920, 1080), pose);
        let (u, v) = view.at(960.0, 540.0);
        assert!((u - 100.0).abs() < 0.01 && (v + 40.0).abs() < 0.01, "{u} {v}");

        let straight = View::new((1920, 1080), Pose { turn: 0.0, tilt: (0.0, 0.0), ..pose });
        let (u, v) = straight.at(960.0 + 300.0, 540.0 + 30.0);
        assert!((u - 200.0).abs() < 0.01 && (v + 30.0).abs() < 0.01, "{u} {v}");
    }

    #[test]
    fn a_tilted_plane_shrinks_with_distance() {
        let pose = Pose { scale: 2.0, turn: 0.0, tilt: (20.0, 0.0), center: (0.0, 0.0) };
        let view = View::new((1000, 1000), pose);
        let step = |x: f32| view.at(x + 1.0, 500.0).0 - view.at(x, 500.0).0;
        assert!(step(900.0) > 1.2 * step(100.0), "{} {}", step(900.0), step(100.0));
        assert!((step(500.0) - 0.5 / 20f32.to_radians().cos()).abs() < 0.01);
    }
}
