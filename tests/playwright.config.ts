// The whole, as a person sees it: the real binary in the real Chromium.
import { defineConfig } from '@playwright/test';

const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'results',
  fullyParallel: true,
  workers: 2,
  forbidOnly: !!process.env['CI'],
  timeout: 30_000,
  expect: { timeout: 5_000 },
  reporter: process.env['CI'] ? 'line' : 'list',
  use: {
    // Dates and times on the page must not depend on the machine that runs the tests.
    timezoneId: 'UTC',
    locale: 'en-GB',
    viewport: { width: 1280, height: 900 },
    trace: 'retain-on-failure',
    launchOptions: { executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: sandbox },
  },
});
