//! Starts the front end in the page.

fn main() {
    debrief_app::start();
}
