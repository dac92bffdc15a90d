//! The roots of the characteristic equation, and for which marking strengths all of them decay.
//!
//! ```text
//! s² + (2 − e^(−s d) + e^(−s d_s)) γ s + (η a/d²) e^(−s d) + η b c² e^(−s d_s) = 0        (Eq. 5)
//!
//! with z = s d, ρ = d_s/d, g = γ d, A = η a, B = η b c² d²:
//! F(z) = z² + (2 − e^(−z) + e^(−ρ z)) g z + A e^(−z) + B e^(−ρ z)
//! ```
//!
//! F has infinitely many zeros, but only finitely many to the right of any line: where Re z ≥ σ the
//! exponentials are at most e^(−σ), so a zero has |z|² ≤ p |z| + q with p = (2 + e^(−σ) + e^(−ρσ)) g and
//! q = |A| e^(−σ) + |B| e^(−ρσ), hence |z| ≤ p + √q. How many there are is how often F turns around the origin
//! on the edge of that region (argument principle); where they are, Newton's method tells, from a grid.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | z | root in units of 1/d | 1 |
//! | ρ | d_s/d: 1 is marking forward, less is marking on the way back | 1 |
//! | σ | a line in the complex plane, Re z = σ | 1 |
//!
//! Near the origin F ≈ z² + 2 g z + A (1 − z) + B (1 − ρ z), which has decaying roots exactly if
//! A + ρ B < 2 g: the largest stable marking strength is about 2 γ d/(a + b c² d d_s), inversely proportional to
//! d_s ([`Loop::strongest_by_expansion`]).

use super::{DECREASE, INCREASE, Loop};
use core::ops::{Add, Div, Mul, Sub};

/// A complex number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Complex {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

impl Complex {
    const fn real(re: f64) -> Self {
        Self { re, im: 0.0 }
    }

    fn exp(self) -> Self {
        let size = libm::exp(self.re);
        Self { re: size * libm::cos(self.im), im: size * libm::sin(self.im) }
    }

    fn scale(self, by: f64) -> Self {
        Self { re: self.re * by, im: self.im * by }
    }

    fn size(self) -> f64 {
        libm::hypot(self.re, self.im)
    }

    /// The angle from `other` to this, from −π to π.
    fn turn_from(self, other: Self) -> f64 {
        let dot = self.re * other.re + self.im * other.im;
        let cross = self.im * other.re - self.re * other.im;
        libm::atan2(cross, dot)
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + other.scale(-1.0)
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

impl Div for Complex {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let conjugate = Self { im: -other.im, ..other };
        (self * conjugate).scale(1.0 / (other.re * other.re + other.im * other.im))
    }
}

/// F with its constants.
#[derive(Clone, Copy, Debug)]
struct Equation {
    g: f64,
    rho: f64,
    long: f64,
    short: f64,
}

/// On the way around a region F turns by less than this per step, in radians; else the step is halved.
const SHARPEST_TURN: f64 = 0.5;
/// No step becomes shorter than this part of its first length: only a zero on the edge itself asks for more.
const SHORTEST_STEP: f64 = 1e-9;

impl Equation {
    fn at(&self, z: Complex) -> Complex {
        let (long, short) = (z.scale(-1.0).exp(), z.scale(-self.rho).exp());
        let damping = (Complex::real(2.0) - long + short).scale(self.g);
        z * (z + damping) + long.scale(self.long) + short.scale(self.short)
    }

    fn derivative(&self, z: Complex) -> Complex {
        let (long, short) = (z.scale(-1.0).exp(), z.scale(-self.rho).exp());
        let damping = (Complex::real(2.0) - long + short).scale(self.g);
        let change = (long - short.scale(self.rho)).scale(self.g);
        z.scale(2.0) + damping + z * change - long.scale(self.long) - short.scale(self.rho * self.short)
    }

    /// No zero with Re z ≥ `line` is farther from the origin.
    fn reach(&self, line: f64) -> f64 {
        let (long, short) = (libm::exp(-line), libm::exp(-self.rho * line));
        let p = (2.0 + long + short) * self.g;
        let q = self.long.abs() * long + self.short.abs() * short;
        1.01 * (p + libm::sqrt(q)).max(line.abs() + 1e-9)
    }

    /// By how much F turns while its argument goes along `path`, whose parameter runs from 0 to 1.
    fn turn(&self, path: impl Fn(f64) -> Complex, steps: u32) -> f64 {
        let width = 1.0 / f64::from(steps);
        let mut turned = 0.0;
        let mut last = self.at(path(0.0));
        for step in 0..steps {
            let end = f64::from(step + 1) * width;
            let (mut at, mut part) = (f64::from(step) * width, width);
            while at < end {
                // Steps shrink next to a zero and grow again behind it.
                let to = if at + part < end { at + part } else { end };
                let next = self.at(path(to));
                let turn = next.turn_from(last);
                if turn.abs() > SHARPEST_TURN && part > SHORTEST_STEP * width {
                    part /= 2.0;
                    continue;
                }
                turned += turn;
                (last, at, part) = (next, to, 2.0 * part);
            }
        }
        turned
    }

    /// How many zeros have Re z > `line`, each pair of conjugates counted as two.
    fn zeros_right_of(&self, line: f64) -> usize {
        let reach = self.reach(line);
        let corner = libm::acos((line / reach).clamp(-1.0, 1.0));
        let top = reach * libm::sin(corner);
        let arc = |part: f64| {
            let angle = part * corner;
            Complex { re: reach * libm::cos(angle), im: reach * libm::sin(angle) }
        };
        let edge = |part: f64| Complex { re: line, im: top * (1.0 - part) };
        // F(z̄) is the conjugate of F(z), so the lower half turns as much as the upper one.
        let steps = 256 + (64.0 * reach).min(65_536.0) as u32;
        let turns = (self.turn(arc, steps) + self.turn(edge, steps)) / core::f64::consts::PI;
        libm::round(turns).max(0.0) as usize
    }

    /// Newton's method; `None` if it leads nowhere.
    fn zero_near(&self, start: Complex) -> Option<Complex> {
        let mut z = start;
        for _ in 0..60 {
            let step = self.at(z) / self.derivative(z);
            z = z - step;
            if step.size() <= 1e-13 * (1.0 + z.size()) {
                return (self.at(z).size() <= 1e-9 * (1.0 + z.size() * z.size())).then_some(z);
            }
            if !z.re.is_finite() || !z.im.is_finite() {
                return None;
            }
        }
        None
    }
}

impl Loop {
    fn equation(&self, eta: f64) -> Equation {
        let (d, d_s) = (self.round_trip.as_secs_f64(), self.short_round_trip.as_secs_f64());
        let window = self.capacity * d;
        Equation {
            g: self.gamma() * d,
            rho: d_s / d,
            long: eta * INCREASE,
            short: eta * DECREASE * window * window,
        }
    }

    /// The left side of Eq. 5 at `s`, in units of 1/d², for a root in units of 1/d.
    #[must_use]
    pub fn characteristic(&self, eta: f64, root: Complex) -> Complex {
        self.equation(eta).at(root)
    }

    /// How many roots do not decay.
    #[must_use]
    pub fn growing_roots(&self, eta: f64) -> usize {
        self.equation(eta).zeros_right_of(0.0)
    }

    /// Whether all roots decay. They never do unless η > 0: the left side of Eq. 5 is η (a/d² + b c²) at 0 and grows
    /// beyond all bounds, so a negative η gives it a positive real zero, if one that may be too small to be counted.
    #[must_use]
    pub fn is_stable(&self, eta: f64) -> bool {
        eta > 0.0 && self.growing_roots(eta) == 0
    }

    /// The real part of the root that decays slowest, or grows fastest, in units of 1/d.
    #[must_use]
    pub fn slowest_decay(&self, eta: f64) -> f64 {
        let equation = self.equation(eta);
        let (mut left, mut right) = (-1.0, 1.0);
        while equation.zeros_right_of(right) > 0 && right < 1e6 {
            right *= 2.0;
        }
        while equation.zeros_right_of(left) == 0 && left > -64.0 {
            left *= 2.0;
        }
        for _ in 0..50 {
            let middle = (left + right) / 2.0;
            if equation.zeros_right_of(middle) > 0 { left = middle } else { right = middle }
        }
        (left + right) / 2.0
    }

    /// All roots with real parts above `line`, in units of 1/d, those with positive imaginary part once, the
    /// rightmost first. Newton's method starts from a grid, which is refined until it has found as many as the
    /// argument principle counts.
    #[must_use]
    pub fn roots_right_of(&self, eta: f64, line: f64) -> Vec<Complex> {
        let equation = self.equation(eta);
        let (count, reach) = (equation.zeros_right_of(line), equation.reach(line));
        let mut roots: Vec<Complex> = Vec::new();
        for cells in [24, 48, 96, 192] {
            for place in 0..cells * cells {
                let (across, up) = (f64::from(place % cells), f64::from(place / cells));
                let part = 1.0 / f64::from(cells - 1);
                let start = Complex { re: line + (reach - line) * across * part, im: reach * up * part };
                let Some(mut root) = equation.zero_near(start) else { continue };
                root.im = if root.im.abs() < 1e-10 { 0.0 } else { root.im.abs() };
                let known = roots.iter().any(|other| (*other - root).size() < 1e-7);
                if root.re > line && !known {
                    roots.push(root);
                }
            }
            let found: usize = roots.iter().map(|root| if root.im > 0.0 { 2 } else { 1 }).sum();
            if found >= count {
                break;
            }
        }
        roots.sort_by(|one, other| other.re.total_cmp(&one.re));
        roots
    }

    /// The largest η up to which all roots decay: between 0 and it the flow is stable.
    #[must_use]
    pub fn strongest_stable(&self) -> f64 {
        let (mut stable, mut unstable) = (0.0, self.strongest_by_expansion());
        for _ in 0..200 {
            if self.growing_roots(unstable) > 0 {
                break;
            }
            (stable, unstable) = (unstable, 1.5 * unstable);
        }
        for _ in 0..50 {
            let middle = (stable + unstable) / 2.0;
            if self.growing_roots(middle) == 0 { stable = middle } else { unstable = middle }
        }
        stable
    }

    /// The same to first order around the origin: 2 γ d/(a + b c² d d_s).
    #[must_use]
    pub fn strongest_by_expansion(&self) -> f64 {
        let equation = self.equation(1.0);
        2.0 * equation.g / (equation.long + equation.rho * equation.short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_units::Span;

    /// c·d packets of window, and the short round trip in percent of the whole.
    fn flow(window: f64, percent: u64) -> Loop {
        Loop {
            capacity: window / 0.1,
            round_trip: Span::from_ms(100),
            short_round_trip: Span::from_ms(percent),
        }
    }

    /// Eq. 2 is Eq. 5 solved for η, so a real s is a root for η(s).
    #[test]
    fn every_eta_of_equation_2_has_its_root() {
        for percent in [10, 50, 90] {
            let flow = flow(100.0, percent);
            for part in [0.1, 0.5, 0.9] {
                let s = part * flow.first_zero();
                let left = flow.characteristic(flow.eta(s), Complex::real(s * 0.1));
                assert!(left.size() < 1e-12, "{percent} {part} {left:?}");
            }
        }
    }

    /// With d_s = d the two delays are one: z² + 2gz + K e^(−z), which has roots ±iω where ω tan ω = 2g and
    /// K = ω²/cos ω. For a window of 100 packets g = 50/5001 = 0.0099980: ω² + ω⁴/3 + 2ω⁶/15 = 0.019996 gives
    /// ω² = 0.0198634, and K = 0.0198634/(1 − 0.0099317 + 0.0000164) = 0.0200623.
    #[test]
    fn with_one_delay_the_edge_of_stability_is_the_closed_form() {
        let flow = flow(100.0, 100);
        let edge = flow.strongest_stable();
        let k = edge * (1.0 + 0.5 * 100.0 * 100.0);
        assert!((k - 0.020_062_3).abs() < 5e-7, "{k}");
        let rightmost = flow.roots_right_of(edge, -0.5)[0];
        assert!(
            (rightmost.im - 0.019_863_4_f64.sqrt()).abs() < 1e-5 && rightmost.re.abs() < 1e-8,
            "{rightmost:?}"
        );
    }

    /// To first order inversely proportional to d_s: 1, 2, 5 and 10 times the first.
    #[test]
    fn the_edge_moves_out_as_the_short_round_trip_shrinks() {
        let edges: Vec<f64> =
            [100, 50, 20, 10].map(|percent| flow(100.0, percent).strongest_stable()).to_vec();
        for (edge, times) in edges.iter().zip([1.0, 2.0, 5.0, 10.0]) {
            let ratio = edge / edges[0] / times;
            assert!((0.9..1.1).contains(&ratio), "{times}: {ratio}");
        }
    }

    #[test]
    fn a_negative_strength_makes_a_root_that_grows() {
        assert!(flow(100.0, 50).is_stable(1e-8) && !flow(100.0, 50).is_stable(-1e-80));
        // F(0) = A + B < 0 and F → ∞: a positive real root.
        let flow = flow(100.0, 50);
        assert_eq!(flow.growing_roots(-1e-8), 1);
        assert!(flow.slowest_decay(-1e-8) > 0.0);
    }

    /// Near the origin z² + 2gz + (A + B) = 0, so that small η leaves −(A + B)/(2g) and −2g.
    #[test]
    fn the_slowest_root_of_a_weak_marking_is_real_and_small() {
        let flow = flow(100.0, 50);
        let k = 1e-6;
        let eta = k / (1.0 + 0.5 * 100.0 * 100.0);
        let slowest = flow.slowest_decay(eta);
        assert!((slowest / (-k / (2.0 * 0.009_998)) - 1.0).abs() < 0.02, "{slowest}");
    }

    #[test]
    fn newton_finds_as_many_roots_as_the_argument_principle_counts() {
        for (percent, eta) in [(10, 1e-5), (50, 1e-5), (100, 1e-4), (30, 1e-3)] {
            let flow = flow(100.0, percent);
            let roots = flow.roots_right_of(eta, -9.0);
            let found: usize = roots.iter().map(|root| if root.im > 0.0 { 2 } else { 1 }).sum();
            assert_eq!(found, flow.equation(eta).zeros_right_of(-9.0), "{percent} {eta} {roots:?}");
            assert!(roots.len() > 2, "{roots:?}");
        }
    }

    /// The linear delay equation itself, Eq. 4, integrated in time: a disturbance dies out below the edge and
    /// grows beyond it.
    #[test]
    fn the_delay_equation_settles_below_the_edge_and_not_beyond() {
        for percent in [20, 60] {
            let flow = flow(30.0, percent);
            let edge = flow.strongest_stable();
            let swing = |eta: f64| {
                let equation = flow.equation(eta);
                let per_trip = 200_usize;
                let step = 1.0 / per_trip as f64;
                let short = percent as usize * per_trip / 100;
                let (mut rate, mut slope) = (vec![1.0; per_trip + 1], vec![0.0; per_trip + 1]);
                for _ in 0..400 * per_trip {
                    let now = rate.len() - 1;
                    let push = equation.g * (2.0 * slope[now] - slope[now - per_trip] + slope[now - short])
                        + equation.long * rate[now - per_trip]
                        + equation.short * rate[now - short];
                    let next = slope[now] - step * push;
                    slope.push(next);
                    rate.push(rate[now] + step * next);
                }
                let largest = |part: &[f64]| part.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
                largest(&rate[rate.len() - 50 * per_trip..]) / largest(&rate[..50 * per_trip])
            };
            assert!(swing(0.8 * edge) < 0.5, "{percent}: {}", swing(0.8 * edge));
            assert!(swing(1.25 * edge) > 2.0, "{percent}: {}", swing(1.25 * edge));
        }
    }
}
