// Signing in at a real identity provider: there and back, and everything that must not lead in.
import { type AddressInfo, createServer } from 'node:net';
import { type BrowserContext, type Page, expect, test as base } from '@playwright/test';
import { Server, newFolder, removeFolder } from './debrief';
import { IdentityProvider } from './provider';

const START = '/api/v1/session/oidc';
const CALLBACK = `${START}/callback`;

interface Me {
  user_id: string;
  name: string;
  email: string | null;
  role: string;
  support: boolean;
  session_id: string;
}

interface Fixtures {
  provider: IdentityProvider;
  server: Server;
  /** Somebody's browser, not signed in anywhere. */
  stranger: () => Promise<Page>;
}

/** A port that was free a moment ago: the provider must know where people come back to before the server starts. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise(done => server.close(done));
  return port;
}

const test = base.extend<Fixtures & { port: number }>({
  port: async ({}, use) => use(await freePort()),
  provider: async ({ port }, use) => {
    const provider = new IdentityProvider(`http://127.0.0.1:${port}${CALLBACK}`);
    provider.accounts.set('eva', { name: 'Eva Lund', email: 'Eva@Example.com', email_verified: true, groups: ['sre'] });
    await provider.start();
    await use(provider);
    await provider.stop();
  },
  server: async ({ port, provider }, use) => {
    const folder = newFolder();
    const server = await Server.start(folder, options(port, provider), secrets(provider));
    await use(server);
    await server.stop();
    removeFolder(folder);
  },
  stranger: async ({ browser, server }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async () => {
      const context = await browser.newContext({ baseURL: server.base });
      contexts.push(context);
      return context.newPage();
    });
    for (const context of contexts) await context.close();
  },
});

const options = (port: number, provider: IdentityProvider): string[] => [
  ...['--listen', `127.0.0.1:${port}`, '--url', `http://127.0.0.1:${port}`],
  ...['--oidc-issuer', provider.issuer, '--oidc-client-id', provider.client.id, '--oidc-name', 'Example SSO'],
  ...['--oidc-scopes', 'profile email groups'],
  ...['--oidc-role', 'admin=ops', '--oidc-role', 'editor=sre', '--oidc-role', 'viewer=staff'],
  ...['--oidc-role', 'support=desk'],
];

const secrets = (provider: IdentityProvider): NodeJS.ProcessEnv => ({
  DEBRIEF_OIDC_CLIENT_SECRET: provider.client.secret,
  DEBRIEF_LOG: 'debug',
});

/** Signs in at the provider, in its own pages; ends wherever Debrief leads. */
async function signIn(page: Page, login: string, to = '/'): Promise<void> {
  await page.goto(`${START}?to=${encodeURIComponent(to)}`);
  await atProvider(page, login);
}

/** What somebody does at the provider. */
async function atProvider(page: Page, login: string): Promise<void> {
  await page.getByLabel('Login').fill(login);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Allow' }).click();
}

const me = async (page: Page): Promise<Me> => (await page.request.get('/api/v1/session')).json() as Promise<Me>;

const isSignedIn = async (page: Page): Promise<boolean> => (await page.request.get('/api/v1/session')).ok();

/** Which problem the sign-in page is led to. */
const problemOf = (page: Page): string | null => {
  const address = new URL(page.url());
  expect(address.pathname).toBe('/sign-in');
  const keys = [...address.searchParams.keys()].filter(key => key !== 'to');
  expect(keys, 'nothing else stands in the address').toEqual(['problem']);
  return address.searchParams.get('problem');
};

/** Goes through the provider's pages, but never comes back: answers the address that would finish it. */
async function unfinished(page: Page, provider: IdentityProvider, login: string): Promise<string> {
  const address = new Promise<string>(held => (provider.hold = held));
  await signIn(page, login);
  const held = await address;
  provider.hold = undefined;
  return held;
}

test('the first sign-in makes an account with the role of its group, and leads back', async ({ server, stranger }) => {
  const told = await fetch(`${server.base}/api/v1/session/options`);
  expect(await told.json()).toEqual({ oidc: 'Example SSO' });
  const page = await stranger();
  await page.goto('/incidents/INC-1?zone=utc');
  await page.getByRole('link', { name: 'Sign in with Example SSO' }).click();
  await atProvider(page, 'eva');
  expect(page.url()).toBe(`${server.base}/incidents/INC-1?zone=utc`);
  expect(await me(page)).toMatchObject({ name: 'Eva Lund', email: 'eva@example.com', role: 'editor', support: false });
  const cookies = await page.context().cookies(server.base);
  const session = cookies.find(cookie => cookie.name === 'debrief_session');
  expect(session).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' });
  const { items } = await server.json<{ items: { name: string }[] }>('/api/v1/users');
  expect(items.map(user => user.name).sort()).toEqual(['Administrator', 'Eva Lund']);
});

test('a change of groups is a change of role at the next sign-in, and nobody has two accounts', async ({
  server,
  provider,
  stranger,
}) => {
  const page = await stranger();
  await signIn(page, 'eva');
  const before = await me(page);
  for (const [groups, role, support] of [
    [['ops', 'sre', 'desk'], 'admin', true],
    [['staff'], 'viewer', false],
  ] as const) {
    provider.accounts.get('eva')!.groups = [...groups];
    // The provider still knows her, and asks nothing.
    await page.goto(START);
    expect(await me(page)).toMatchObject({ user_id: before.user_id, role, support });
  }
  const after = await me(page);
  expect(after.session_id, 'each sign-in is a session of its own').not.toBe(before.session_id);
  const { items } = await server.json<{ items: { id: string }[] }>('/api/v1/sessions');
  expect(items.map(session => session.id), 'and ends the one before').toEqual([after.session_id]);
});

test('whoever is in no group that gives a role is not let in', async ({ server, provider, stranger }) => {
  const page = await stranger();
  provider.accounts.get('eva')!.groups = ['elsewhere'];
  await signIn(page, 'eva');
  expect(problemOf(page)).toBe('no_role');
  await expect(page.getByRole('alert')).toContainText('Ask an administrator of Debrief.');
  expect(await isSignedIn(page)).toBe(false);
  const { items } = await server.json<{ items: unknown[] }>('/api/v1/users');
  expect(items).toHaveLength(1);
});

test('a sign-in works once, and only in the browser that began it', async ({ provider, stranger }) => {
  provider.accounts.set('mal', { name: 'Mal', email: 'mal@example.com', email_verified: true, groups: ['staff'] });
  const attacker = await stranger();
  const address = await unfinished(attacker, provider, 'mal');

  const bystander = await stranger();
  await bystander.goto(address);
  expect(problemOf(bystander), 'without the cookie').toBe('not_begun');
  expect(await isSignedIn(bystander)).toBe(false);

  const victim = await stranger();
  await unfinished(victim, provider, 'eva');
  await victim.goto(address);
  expect(problemOf(victim), 'with the cookie of another attempt').toBe('not_begun');
  expect(await isSignedIn(victim)).toBe(false);

  const changed = new URL(address);
  changed.searchParams.set('state', `${changed.searchParams.get('state')}x`);
  await attacker.goto(changed.href);
  expect(problemOf(attacker), 'with another state').toBe('not_begun');

  await attacker.goto(address);
  expect(await me(attacker), 'in its own browser it still works').toMatchObject({ name: 'Mal' });
  const session = (await me(attacker)).session_id;
  await attacker.goto(address);
  expect(problemOf(attacker), 'a second time').toBe('not_begun');
  expect((await me(attacker)).session_id).toBe(session);
});

test('an attempt that another provider answers, or nobody, leads nowhere', async ({ provider, stranger }) => {
  const page = await stranger();
  const address = new URL(await unfinished(page, provider, 'eva'));
  address.searchParams.set('iss', 'http://127.0.0.1:1');
  await page.goto(address.href);
  expect(problemOf(page)).toBe('unverified');
  for (const query of ['', '?code=x', '?state=x', '?state=x&state=y&code=z', '?error=access_denied']) {
    await page.goto(CALLBACK + query);
    expect(problemOf(page), query).toBe('not_begun');
  }
  expect(await isSignedIn(page)).toBe(false);
});

test('whoever refuses at the provider is told so', async ({ stranger }) => {
  const page = await stranger();
  await page.goto(START);
  await page.getByLabel('Login').fill('eva');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Refuse' }).click();
  expect(problemOf(page)).toBe('declined');
});

test('whoever refuses, or whom the provider cannot vouch for, still reaches what they asked for once they sign in', async ({
  server,
  provider,
  stranger,
}) => {
  await server.setPassword('Cleo Marsh', 'cleo@example.com', 'four rainy mondays');
  const wanted = '/settings/account?zone=local';
  const refuse = async (page: Page) => {
    await page.goto(`${START}?to=${encodeURIComponent(wanted)}`);
    await page.getByLabel('Login').fill('eva');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Refuse' }).click();
  };
  const page = await stranger();
  await refuse(page);
  expect(problemOf(page)).toBe('declined');
  expect(new URL(page.url()).searchParams.get('to')).toBe(wanted);
  await page.getByLabel('Address').fill('cleo@example.com');
  await page.getByLabel('Password').fill('four rainy mondays');
  await page.getByLabel('Password').press('Enter');
  await expect(page).toHaveURL(server.base + wanted);

  const again = await stranger();
  await refuse(again);
  await again.getByRole('link', { name: 'Sign in with Example SSO' }).click();
  // The provider still knows who this is.
  await again.getByRole('button', { name: 'Allow' }).click();
  await expect(again, 'the second try at the provider').toHaveURL(server.base + wanted);

  provider.spoil = tokens => (tokens.id_token = 'nonsense');
  const spoiled = await stranger();
  await signIn(spoiled, 'eva', wanted);
  expect(problemOf(spoiled)).toBe('unverified');
  expect(new URL(spoiled.url()).searchParams.get('to')).toBe(wanted);
  // Only to pages of this application, whatever is asked for.
  const elsewhere = await stranger();
  await signIn(elsewhere, 'eva', 'https://evil.example/');
  expect(new URL(elsewhere.url()).searchParams.get('to')).toBe(null);
});

test('a token that was made for another sign-in, or signed by nobody, is not taken', async ({ provider, stranger }) => {
  const page = await stranger();
  let earlier = '';
  provider.spoil = tokens => (earlier = tokens.id_token);
  await signIn(page, 'eva');
  expect(await isSignedIn(page)).toBe(true);
  const [, body] = earlier.split('.');
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`;
  const cases: [string, (token: string) => string][] = [
    ['another sign-in', () => earlier],
    ['signed by nobody', () => unsigned],
    ['changed', token => token.replace(/\.[^.]*$/, `.${'A'.repeat(342)}`)],
  ];
  for (const [name, spoiled] of cases) {
    provider.spoil = tokens => (tokens.id_token = spoiled(tokens.id_token));
    const other = await stranger();
    await signIn(other, 'eva');
    expect(problemOf(other), name).toBe('unverified');
    expect(await isSignedIn(other), name).toBe(false);
  }
});

test('an account that is switched off stays out', async ({ server, stranger }) => {
  const page = await stranger();
  await signIn(page, 'eva');
  const { user_id } = await me(page);
  const answer = await fetch(`${server.base}/api/v1/users/${user_id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json', 'if-match': '"1"' },
    body: JSON.stringify({ disabled: true }),
  });
  expect(answer.status).toBe(200);
  expect(await isSignedIn(page), 'it is out at once').toBe(false);
  await page.goto(START);
  expect(problemOf(page)).toBe('disabled');
  expect(await isSignedIn(page)).toBe(false);
});

test('an address that the provider has verified leads into the account that has it', async ({
  server,
  provider,
  stranger,
}) => {
  const added = await fetch(`${server.base}/api/v1/users`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Eva', email: 'eva@example.com', role: 'member' }),
  });
  const { user } = (await added.json()) as { user: { id: string } };
  provider.accounts.get('eva')!.email_verified = false;
  const page = await stranger();
  await signIn(page, 'eva');
  expect(problemOf(page)).toBe('address_taken');
  provider.accounts.get('eva')!.email_verified = true;
  await page.goto(START);
  expect(await me(page)).toMatchObject({ user_id: user.id, name: 'Eva', role: 'editor' });
  provider.accounts.set('eve', { ...provider.accounts.get('eva')!, name: 'Eve' });
  const other = await stranger();
  await signIn(other, 'eve');
  expect(problemOf(other), 'the address went to somebody else').toBe('address_taken');
});

test('nobody is led to another site', async ({ server, stranger }) => {
  const page = await stranger();
  await signIn(page, 'eva', '//evil.example/x');
  expect(page.url()).toBe(`${server.base}/`);
  for (const to of ['https://evil.example/', '/\\evil.example', '/\t/evil.example', 'javascript:alert(1)']) {
    await page.goto(`${START}?to=${encodeURIComponent(to)}`);
    expect(page.url(), to).toBe(`${server.base}/`);
  }
});

test('a provider that is down is told so, and links still lead in', async ({ server, provider, stranger, port }) => {
  await provider.stop();
  await server.stop();
  // It starts although nobody answers there.
  const again = await Server.start(server.data, options(port, provider), secrets(provider));
  const page = await stranger();
  await page.goto(START);
  expect(problemOf(page)).toBe('unavailable');
  await again.signIn(page.context(), 'Bo Lind', 'member');
  expect(await me(page)).toMatchObject({ name: 'Bo Lind' });

  await provider.start();
  const late = await stranger();
  const address = await unfinished(late, provider, 'eva');
  await provider.stop();
  await late.goto(address);
  expect(problemOf(late), 'down between there and back').toBe('unavailable');
  // New keys, and a token that tells everything itself.
  await provider.start(true);
  await signIn(late, 'eva');
  expect(await me(late)).toMatchObject({ name: 'Eva Lund', role: 'editor' });
  await again.stop();
});

test('no secret is in the log', async ({ server, provider, stranger }) => {
  const page = await stranger();
  const address = new URL(await unfinished(page, provider, 'eva'));
  let token = '';
  provider.spoil = tokens => (token = tokens.id_token);
  await page.goto(address.href);
  expect(await isSignedIn(page)).toBe(true);
  const cookies = await page.context().cookies(server.base + CALLBACK);
  const ours = cookies.filter(cookie => cookie.name.startsWith('debrief_')).map(cookie => cookie.value);
  expect(ours).toHaveLength(2);
  const { code, state } = Object.fromEntries(address.searchParams);
  const log = server.log();
  expect(log, 'the log is there').toContain('request');
  for (const secret of [code!, state!, token, provider.client.secret, ...ours]) expect(log).not.toContain(secret);
});
