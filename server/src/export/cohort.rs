//! The customers to be written to as one table, safe to open in a spreadsheet.

use domain::wire::cohort::CohortCustomer;

use super::csv::inert;
use super::instant;

const COLUMNS: [&str; 7] =
    ["customer", "standing", "reason", "last_attempt_utc", "bought_utc", "contacted_utc", "contacted_by"];

/// Writes the table.
pub fn write(customers: &[CohortCustomer]) -> Vec<u8> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let rows = customers.iter().map(row);
    for record in std::iter::once(COLUMNS.map(str::to_owned)).chain(rows) {
        if writer.write_record(&record).is_err() {
            // The record itself is not logged: it names a customer.
            tracing::error!("a row could not be written to memory");
        }
    }
    writer.into_inner().unwrap_or_default()
}

fn row(customer: &CohortCustomer) -> [String; 7] {
    [
        inert(&customer.customer),
        customer.standing.label().to_owned(),
        customer.reason.clone(),
        instant(customer.last_at),
        instant(customer.bought_at),
        instant(customer.contacted_at),
        inert(customer.contacted_by.as_deref().unwrap_or_default()),
    ]
}
