//! The words that reading a threshold knows; spaces part those of a list.

use crate::quantity::Unit;
use crate::verification::Comparator;

/// Words that compare, the longer ones first.
pub(super) const COMPARING: &[(&str, Comparator)] = &[
    ("less than or equal to", Comparator::AtMost),
    ("lower than or equal to", Comparator::AtMost),
    ("equal to or less than", Comparator::AtMost),
    ("greater than or equal to", Comparator::AtLeast),
    ("more than or equal to", Comparator::AtLeast),
    ("equal to or greater than", Comparator::AtLeast),
    ("a maximum of", Comparator::AtMost),
    ("a minimum of", Comparator::AtLeast),
    ("maximum of", Comparator::AtMost),
    ("minimum of", Comparator::AtLeast),
    ("max of", Comparator::AtMost),
    ("min of", Comparator::AtLeast),
    ("at most", Comparator::AtMost),
    ("at least", Comparator::AtLeast),
    ("up to", Comparator::AtMost),
    ("capped at", Comparator::AtMost),
    ("limited to", Comparator::AtMost),
    ("less than", Comparator::Below),
    ("lower than", Comparator::Below),
    ("fewer than", Comparator::Below),
    ("smaller than", Comparator::Below),
    ("shorter than", Comparator::Below),
    ("faster than", Comparator::Below),
    ("more than", Comparator::Above),
    ("greater than", Comparator::Above),
    ("higher than", Comparator::Above),
    ("longer than", Comparator::Above),
    ("below", Comparator::Below),
    ("under", Comparator::Below),
    ("above", Comparator::Above),
    ("over", Comparator::Above),
    ("beyond", Comparator::Above),
    ("exceeds", Comparator::Above),
    ("exceed", Comparator::Above),
    ("exceeding", Comparator::Above),
    ("crosses", Comparator::Above),
    ("passes", Comparator::Above),
    ("reaches", Comparator::AtLeast),
    ("reach", Comparator::AtLeast),
    ("reaching", Comparator::AtLeast),
    ("hits", Comparator::AtLeast),
    ("within", Comparator::AtMost),
];

/// Words after a number that compare it ("2 s or less").
pub(super) const TRAILING: &[(&str, Comparator)] = &[
    ("or less", Comparator::AtMost),
    ("or fewer", Comparator::AtMost),
    ("or lower", Comparator::AtMost),
    ("or below", Comparator::AtMost),
    ("or faster", Comparator::AtMost),
    ("or more", Comparator::AtLeast),
    ("or higher", Comparator::AtLeast),
    ("or above", Comparator::AtLeast),
    ("or better", Comparator::AtLeast),
];

/// Words that turn a comparison round.
pub(super) const NEGATING: &str = "not never no without doesn't don't cannot can't won't mustn't isn't \
    shouldn't";

/// Words between what is measured and the comparison.
pub(super) const LINKING: &str = "is are be being was were stays stay staying remains remain remaining keeps \
    keep kept keeping holds hold held drops drop falls fall goes go going rises \
    rise climbs gets get returns return recovers to must should can will may \
    shall does do did has have had consistently always well steadily back down \
    of even longer ever again strictly far it in takes take taking lasts last a \
    the";

/// Words that what is measured does not reach back over.
pub(super) const STOPPING: &str = "that and or but with while when whenever where if then once so at during \
    after before until unless under by from shows show showing showed proves \
    prove demonstrates demonstrate confirms confirm verifies verify ensures \
    ensure checks check reports report gives measures measure records runs run \
    sustains sustain achieves achieve maintains maintain makes make reduce \
    reduces bring brings lower lowers sees see need needs want we our they tests \
    assert asserts fires trips opens closes triggers sends uses allows allow \
    performs serves handles survives completes finishes succeeds fails because \
    which who as via through into alert alerts alarm alarms set sets per report \
    reported";

/// Words that what is measured reaches back over, and does not begin with.
pub(super) const JOINING: &str = "of the a an for in on to its their all any each every";

/// Words that begin a condition, whose threshold nobody demands.
pub(super) const CONDITIONS: &str = "when while whenever if once after until unless during where because";

/// What can be measured and is better low.
pub(super) const BETTER_LOW: &str = "latency latencies time times duration durations error errors failure \
    failures utilization utilisation usage cpu memory heap lag depth backlog \
    queue load saturation delay delays age staleness loss drift retries retry \
    attempts timeouts timeout restarts crashes downtime mttr mttd ttr ttd rtt \
    alerts pages incidents tickets complaints duplicates occupancy percentile \
    median cost noise skew jitter";

/// What can be measured and is better high.
pub(super) const BETTER_HIGH: &str = "availability uptime throughput success coverage headroom accuracy recall \
    precision freshness free available remaining";

/// What can be measured, and may be better low or high.
pub(super) const MEASURABLE: &str = "rate rates ratio share percentage proportion size length count number \
    connections rps qps requests messages average mean capacity space budget \
    disk level volume";

/// Spans and occasions that things are counted in, beside those that make a rate.
pub(super) const PER: &str = "hour day week month request order checkout attempt run deploy user";

/// Words that are not counted, or whose count proves nothing that a value could.
pub(super) const UNCOUNTED: &str = "people person persons engineer engineers reviewer reviewers member members \
    team teams developer developers responder responders times time day days \
    week weeks month months quarter quarters year years sprint sprints am pm utc \
    x d m k million thousand percentile points point dollars euros";

/// What a number without a unit does not count.
pub(super) const SHARES_AND_TIMES: &str = "rate ratio share percentage latency time duration utilization utilisation \
    usage availability uptime coverage lag delay age percentile median cpu \
    memory mttr mttd throughput budget load cost";

/// The unit that a word names.
pub(crate) fn unit_of(word: &str) -> Option<Unit> {
    Some(match word {
        "percent" | "pct" => Unit::Percent,
        "ns" | "nanosecond" | "nanoseconds" => Unit::Nanoseconds,
        "us" | "µs" | "μs" | "microsecond" | "microseconds" => Unit::Microseconds,
        "ms" | "msec" | "msecs" | "millisecond" | "milliseconds" => Unit::Milliseconds,
        "s" | "sec" | "secs" | "second" | "seconds" => Unit::Seconds,
        "min" | "mins" | "minute" | "minutes" => Unit::Minutes,
        "h" | "hr" | "hrs" | "hour" | "hours" => Unit::Hours,
        "byte" | "bytes" => Unit::Bytes,
        "kb" => Unit::Kilobytes,
        "mb" => Unit::Megabytes,
        "gb" => Unit::Gigabytes,
        "kib" => Unit::Kibibytes,
        "mib" => Unit::Mebibytes,
        "gib" => Unit::Gibibytes,
        "rps" | "qps" | "tps" | "/s" | "/sec" | "/second" | "req/s" | "reqs/s" | "requests/s" | "request/s"
        | "req/sec" | "requests/sec" | "requests/second" => Unit::PerSecond,
        "rpm" | "/min" | "/minute" | "req/min" | "requests/min" | "requests/minute" => Unit::PerMinute,
        _ => return None,
    })
}
