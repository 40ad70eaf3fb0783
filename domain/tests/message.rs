//! The wording of the message to the cohort: what is held against it, and what is not.

use domain::message::{ObjectionKind, PROPOSAL, objections};

#[test]
fn wording_that_implies_a_charge_is_held_against_and_a_denial_is_not() {
    use ObjectionKind::{ImpliesCharge, SpeaksToOthers};
    let cases: &[(&str, &[(ObjectionKind, &str)])] = &[
        (PROPOSAL, &[]),
        ("Your card was charged by mistake.", &[(ImpliesCharge, "charged")]),
        ("We will REFUND you.", &[(ImpliesCharge, "REFUND")]),
        ("You were not charged.", &[]),
        ("You weren’t charged, and nothing was deducted.", &[]),
        ("You weren't billed.", &[]),
        ("No refund is needed.", &[]),
        ("If you were not charged, try again.", &[(ImpliesCharge, "charged")]),
        ("You may not have been charged.", &[(ImpliesCharge, "charged")]),
        ("Any charge will be reversed.", &[(ImpliesCharge, "charge"), (ImpliesCharge, "reversed")]),
        ("We did not see it. You were charged.", &[(ImpliesCharge, "charged")]),
        ("We could not complete this, so your payment is safe.", &[(ImpliesCharge, "your payment")]),
        ("Delivery is free of charge; the team in charge is sorry.", &[]),
        ("Recharge your phone, discharge the battery.", &[]),
        ("Duplicate payments happen; a duplicate payment is bad.", &[(ImpliesCharge, "duplicate payment")]),
        ("To all affected customers: sorry.", &[(SpeaksToOthers, "all affected customers")]),
        ("İf Anyone who tried was billed …", &[(SpeaksToOthers, "Anyone who"), (ImpliesCharge, "billed")]),
        ("", &[]),
    ];
    for (text, expected) in cases {
        let found = objections(text);
        let told: Vec<_> = found.iter().map(|one| (one.kind, one.words.as_deref().expect("words"))).collect();
        assert_eq!(&told, expected, "{text}");
        for one in found {
            let offset = one.offset.expect("a place") as usize;
            let there: String = text.chars().skip(offset).collect();
            let words = one.words.expect("words");
            assert!(there.starts_with(&words) && one.reason.contains(&words), "{text}: {words} at {offset}");
        }
    }
}
