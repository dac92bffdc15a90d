//! Property tests: exactness, rounding, overflow and text, for any value.

use plimsoll_units::{Bytes, ParseErrorKind, Rate, Rounding, Span, Time};
use proptest::prelude::*;

/// Every rate in use, from 1 Mb/s to 1.6 Tb/s.
fn any_rate() -> impl Strategy<Value = Rate> {
    (1_000_000_u64..=1_600_000_000_000).prop_map(Rate::from_bps)
}

proptest! {
    /// The definition, in 128-bit integers: time·rate brackets the bits, in units of 1e-12 bit.
    #[test]
    fn serialisation_is_the_exact_quotient(rate in any_rate(), size in 0_u64..=u64::from(u32::MAX)) {
        let bits_times_ps = u128::from(size) * 8 * 1_000_000_000_000;
        let bytes = Bytes::new(size);
        let down = u128::from(rate.checked_serialize(bytes, Rounding::Down).unwrap().as_ps());
        let up = u128::from(rate.checked_serialize(bytes, Rounding::Up).unwrap().as_ps());
        let nearest = u128::from(rate.checked_serialize(bytes, Rounding::Nearest).unwrap().as_ps());
        let bps = u128::from(rate.as_bps());
        prop_assert!(down * bps <= bits_times_ps && bits_times_ps < (down + 1) * bps);
        prop_assert!(up * bps >= bits_times_ps && (up == 0 || (up - 1) * bps < bits_times_ps));
        prop_assert!((nearest * bps).abs_diff(bits_times_ps) * 2 <= bps);
        prop_assert!(up - down <= 1 && (down..=up).contains(&nearest));
    }

    #[test]
    fn a_span_moves_at_least_the_bytes_whose_rounded_up_time_it_is(rate in any_rate(), size in 0_u64..1 << 40) {
        let bytes = Bytes::new(size);
        prop_assert!(rate.bytes_in(rate.serialize_up(bytes)) >= bytes);
    }

    #[test]
    fn text_of_a_span_reads_back(ps in any::<u64>()) {
        let span = Span::from_ps(ps);
        prop_assert_eq!(span.to_string().parse::<Span>().unwrap(), span);
    }

    #[test]
    fn text_of_a_time_reads_back(ps in any::<u64>()) {
        let time = Time::from_ps(ps);
        prop_assert_eq!(time.to_string().parse::<Time>().unwrap(), time);
    }

    #[test]
    fn text_of_bytes_reads_back(size in any::<u64>()) {
        let bytes = Bytes::new(size);
        prop_assert_eq!(bytes.to_string().parse::<Bytes>().unwrap(), bytes);
    }

    #[test]
    fn text_of_a_rate_reads_back(bps in any::<u64>()) {
        let rate = Rate::from_bps(bps);
        prop_assert_eq!(rate.to_string().parse::<Rate>().unwrap(), rate);
    }

    #[test]
    fn parsing_any_text_never_panics(text in ".{0,40}") {
        let _ = text.parse::<Span>();
        let _ = text.parse::<Time>();
        let _ = text.parse::<Bytes>();
        let _ = text.parse::<Rate>();
    }

    #[test]
    fn parsing_any_number_with_a_unit_never_panics(text in "-?[0-9_.]{0,30} ?(ps|ns|us|s|B|KiB|TiB|Gbps|Tbps)") {
        let _ = text.parse::<Span>();
        let _ = text.parse::<Bytes>();
        let _ = text.parse::<Rate>();
    }

    #[test]
    fn sums_and_differences_are_exact_or_refused(a in any::<u64>(), b in any::<u64>()) {
        prop_assert_eq!(Span::from_ps(a).checked_add(Span::from_ps(b)).map(Span::as_ps), a.checked_add(b));
        prop_assert_eq!(Span::from_ps(a).checked_sub(Span::from_ps(b)).map(Span::as_ps), a.checked_sub(b));
        prop_assert_eq!(Time::from_ps(a).checked_since(Time::from_ps(b)).map(Span::as_ps), a.checked_sub(b));
        prop_assert_eq!(Bytes::new(a).checked_sub(Bytes::new(b)).map(Bytes::get), a.checked_sub(b));
        prop_assert_eq!(Time::from_ps(a).saturating_since(Time::from_ps(b)).as_ps(), a.saturating_sub(b));
    }

    #[test]
    fn floating_point_never_gives_a_value_out_of_range(x in any::<f64>()) {
        // Saturation and NaN → 0 hold for every bit pattern; only finite values in range are compared.
        let bytes = Bytes::saturating_from_f64(x).get();
        if (0.0..1e15).contains(&x) {
            prop_assert!((bytes as f64 - x).abs() <= 0.5);
        } else if x.is_nan() || x < 0.0 {
            prop_assert_eq!(bytes, 0);
        }
    }
}

#[test]
fn one_byte_takes_5_ps_at_1_6_tbps_and_8_us_at_1_mbps() {
    assert_eq!(Rate::from_gbps(1600).serialize_up(Bytes::new(1)), Span::from_ps(5));
    assert_eq!(Rate::from_mbps(1).serialize_up(Bytes::new(1)), Span::from_us(8));
}

#[test]
fn published_packet_times_are_exact() {
    // 1000 B at 100 Gb/s = 80 ns; 1048 B = 83.84 ns; 4096 B at 200 Gb/s = 163.84 ns; 1500 B at 25 Gb/s = 480 ns.
    let ps = |gbps, bytes| Rate::from_gbps(gbps).serialize_up(Bytes::new(bytes)).as_ps();
    assert_eq!(ps(100, 1000), 80_000);
    assert_eq!(ps(100, 1048), 83_840);
    assert_eq!(ps(200, 4096), 163_840);
    assert_eq!(ps(25, 1500), 480_000);
}

#[test]
fn rounding_does_what_its_name_says() {
    // 1 B at 3 bit/s-like rates: 8e12 / 3e9 = 2666.67 ps.
    let rate = Rate::from_gbps(3);
    let time = |rounding| rate.checked_serialize(Bytes::new(1), rounding).unwrap().as_ps();
    assert_eq!((time(Rounding::Down), time(Rounding::Nearest), time(Rounding::Up)), (2666, 2667, 2667));
    // 8e12 / 7e9 = 1142.86 and ×3 = 3428.57; 8e12/6e9 = 1333.33 goes down to the nearest.
    assert_eq!(Rate::from_gbps(6).checked_serialize(Bytes::new(1), Rounding::Nearest).unwrap().as_ps(), 1333);
}

#[test]
fn a_link_at_rest_has_no_serialisation_time() {
    assert_eq!(Rate::ZERO.checked_serialize(Bytes::new(1), Rounding::Up), None);
    assert_eq!(Rate::from_bps(1).checked_serialize(Bytes::MAX, Rounding::Up), None);
}

#[test]
fn the_texts_of_the_design_round_trip() {
    for text in ["200Gbps", "1600Gbps", "40Mbps", "1bps"] {
        assert_eq!(text.parse::<Rate>().unwrap().to_string(), text);
    }
    for text in ["245ns", "12us", "28960ns", "1ps", "3s"] {
        assert_eq!(text.parse::<Span>().unwrap().to_string(), text);
    }
    for text in ["64MB", "4096B", "90500B", "0B"] {
        assert_eq!(text.parse::<Bytes>().unwrap().to_string(), text);
    }
}

#[test]
fn decimals_other_spellings_and_spaces_are_read_exactly() {
    assert_eq!("28.96us".parse::<Span>().unwrap(), Span::from_ns(28_960));
    assert_eq!(" 12 µs ".parse::<Span>().unwrap(), Span::from_us(12));
    assert_eq!("1.6Tbps".parse::<Rate>().unwrap(), Rate::from_gbps(1600));
    assert_eq!("0.02Gb/s".parse::<Rate>().unwrap(), Rate::from_mbps(20));
    assert_eq!("4MiB".parse::<Bytes>().unwrap(), Bytes::new(4 << 20));
    assert_eq!("1_000B".parse::<Bytes>().unwrap(), Bytes::new(1000));
}

#[test]
fn bad_text_is_refused_with_the_kind_of_mistake() {
    let kind = |text: &str| text.parse::<Span>().unwrap_err().kind;
    assert_eq!(kind(""), ParseErrorKind::Empty);
    assert_eq!(kind("us"), ParseErrorKind::NoNumber);
    assert_eq!(kind("."), ParseErrorKind::NoNumber);
    assert_eq!(kind("1.2.3us"), ParseErrorKind::NoNumber);
    assert_eq!(kind("-3us"), ParseErrorKind::Negative);
    assert_eq!(kind("3"), ParseErrorKind::NoUnit);
    assert_eq!(kind("3Gbps"), ParseErrorKind::UnknownUnit);
    assert_eq!(kind("0.5ps"), ParseErrorKind::NotWhole);
    assert_eq!(kind("300000000s"), ParseErrorKind::TooLarge);
    assert_eq!(
        "3us".parse::<Rate>().unwrap_err().to_string(),
        "an unknown unit; expected a rate such as \"100Gbps\" (units: bps, Kbps, Mbps, Gbps, Tbps)"
    );
}

#[test]
fn a_column_of_quantities_can_be_aligned() {
    assert_eq!(format!("{:>8}|{:<8}|", Span::from_us(12), Rate::from_gbps(1)), "    12us|1Gbps   |");
}

#[test]
#[should_panic(expected = "negative time")]
fn time_never_runs_backwards_in_silence() {
    let _ = Time::ZERO - Time::from_ps(1);
}

#[test]
#[should_panic(expected = "Span overflow")]
fn a_span_never_wraps() {
    let _ = Span::MAX + Span::from_ps(1);
}
