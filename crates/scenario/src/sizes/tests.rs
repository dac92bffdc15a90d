use super::*;

#[test]
fn means_and_shares_are_those_of_the_sources() {
    // The table of the data's description: mean, share up to 10 KB, 100 KB and 1 MB, largest.
    let published = [
        ("websearch", 1_711_250.0, [0.150, 0.542, 0.700], 30_000_000),
        ("hadoop", 120_420.75, [0.703, 0.885, 0.975], 10_000_000),
        ("ali-storage", 40_869.8, [0.721, 0.954, 0.986], 2_000_000),
        ("google-rpc", 2_891.6, [0.972, 0.996, 0.999_75], 15_158_197),
        ("websearch-powertcp", 1_711_222.5, [0.150, 0.542, 0.700], 30_000_000),
    ];
    assert_eq!(published.len(), NAMED_SIZES.len());
    for (name, mean, shares, largest) in published {
        let sizes = Sizes::named(name).unwrap().distribution();
        assert!((sizes.mean() / mean - 1.0).abs() < 1e-5, "{name}: {}", sizes.mean());
        let ours = [10_000, 100_000, 1_000_000].map(|bytes| sizes.share_up_to(Bytes::new(bytes)));
        for (ours, published) in ours.into_iter().zip(shares) {
            assert!((ours - published).abs() < 0.001, "{name}: {ours} instead of {published}");
        }
        assert_eq!(sizes.at(1.0), Bytes::new(largest), "{name}");
    }
}

#[test]
fn sizes_are_interpolated_and_truncated() {
    // Halfway between (0, 0) and (10,000, 0.15); a third of the way from 10,000 to 20,000.
    let sizes = Sizes::named("websearch").unwrap().distribution();
    assert_eq!(sizes.at(0.075), Bytes::new(5_000));
    assert_eq!(sizes.at(0.15 + 0.05 / 3.0), Bytes::new(13_333));
    assert_eq!(sizes.at(0.0), Bytes::new(1), "no flow is empty");
    assert_eq!(sizes.share_up_to(Bytes::new(5_000)), 0.075);
}

#[test]
fn powertcps_table_has_no_flow_below_2_kb() {
    let sizes = Sizes::named("websearch-powertcp").unwrap().distribution();
    assert_eq!(sizes.at(0.0), Bytes::new(2_000));
}

#[test]
fn a_fixed_size_is_a_distribution_too() {
    let sizes = Sizes::Fixed(Bytes::new(64_000)).distribution();
    assert_eq!(
        (sizes.at(0.0), sizes.at(0.99), sizes.mean()),
        (Bytes::new(64_000), Bytes::new(64_000), 64_000.0)
    );
}

#[test]
fn a_table_of_ones_own_is_read_with_or_without_titles() {
    let with: Distribution = "bytes,cdf\n1000,0\n# half\n2000,0.5\n4000,1\n".parse().unwrap();
    let without: Distribution = "1000, 0\n2000, 0.5\n4000, 1".parse().unwrap();
    assert_eq!(with, without);
    assert_eq!(with.mean(), 0.5 * 1_500.0 + 0.5 * 3_000.0);
    // A first point above zero is a share of flows of exactly that size.
    let step: Distribution = "1000,0.5\n2000,1".parse().unwrap();
    assert_eq!((step.at(0.3), step.mean()), (Bytes::new(1_000), 0.5 * 1_000.0 + 0.5 * 1_500.0));
}

#[test]
fn what_is_no_distribution_is_refused_with_its_line() {
    let error = |text: &str| text.parse::<Distribution>().unwrap_err().to_string();
    assert_eq!(error(""), "1: there are no points; e.g. 1000,0 and 2000,1");
    assert_eq!(error("bytes,cdf\n1000,x"), "2: `1000,x` should be `bytes,share`, e.g. `10000,0.15`");
    assert_eq!(error("1000,0\n\n900,1"), "3: sizes and shares must grow, but (900, 1) follows (1000, 0)");
    assert_eq!(error("1000,0\n2000,0.9"), "2: the last point, (2000, 0.9), must have a share of 1");
    assert_eq!(error("1000,0\n2000,90"), "2: a share of 90 is not between 0 and 1");
    assert_eq!(error("1000,0\n2000,nan"), "2: a share of NaN is not between 0 and 1");
}
