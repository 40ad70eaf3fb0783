// A real identity provider on a port of its own, with accounts that the tests make up.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server as HttpServer, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Provider from 'oidc-provider';

/** Somebody with an account at the provider. */
export interface Account {
  name: string;
  email: string;
  email_verified: boolean;
  groups: string[];
}

/** What the provider answers when it is asked for tokens; a test may spoil it. */
export interface Tokens {
  id_token: string;
}

const SCOPES = 'openid profile email groups';

const page = (title: string, form: string): string =>
  `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1><form method="post">${form}</form></html>`;

export class IdentityProvider {
  /** By login name, which is the subject too. */
  readonly accounts = new Map<string, Account>();
  /** Spoils what is answered, where a test wants that. */
  spoil: (tokens: Tokens) => void = () => {};
  /** Keeps people here who would be sent back, and is told where to. */
  hold: ((address: string) => void) | undefined;
  private server: HttpServer | undefined;
  private port = 0;

  constructor(
    /** Where people are sent back to. */
    private readonly redirect: string,
    readonly client = { id: 'debrief', secret: 'the-secret-of-debrief-at-the-provider' },
  ) {}

  get issuer(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts with new keys, on the port it had before if it had one. `inToken`: whether the token itself tells all. */
  async start(inToken = false): Promise<void> {
    const server = createServer();
    await new Promise<void>(done => server.listen(this.port, '127.0.0.1', done));
    this.port = (server.address() as AddressInfo).port;
    const provider = await this.provider(inToken);
    const callback = provider.callback();
    server.on('request', (request, response) => {
      const isInteraction = request.url?.startsWith('/interaction/');
      if (!isInteraction) return callback(request, response);
      interact(provider, request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
    this.server = server;
  }

  /** Stops; nothing answers on its port any more. */
  async stop(): Promise<void> {
    const server = this.server;
    this.server = undefined;
    if (!server) return;
    server.closeAllConnections();
    await new Promise(done => server.close(done));
  }

  private async provider(inToken: boolean): Promise<Provider> {
    const { default: OidcProvider } = await import('oidc-provider');
    const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
    const provider = new OidcProvider(this.issuer, {
      clients: [
        { client_id: this.client.id, client_secret: this.client.secret, redirect_uris: [this.redirect] },
      ],
      jwks: { keys: [{ ...key, kid: randomUUID(), use: 'sig', alg: 'RS256' }] },
      cookies: { keys: [randomUUID()] },
      claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'], groups: ['groups'] },
      conformIdTokenClaims: !inToken,
      pkce: { required: () => true },
      ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_: unknown, interaction: { uid: string }) => `/interaction/${interaction.uid}` },
      findAccount: (_: unknown, id: string) => {
        const account = this.accounts.get(id);
        return account && { accountId: id, claims: () => Promise.resolve({ sub: id, ...account }) };
      },
    });
    provider.use(async (context, next) => {
      await next();
      if (context.path === '/token') this.spoil(context.body as Tokens);
      const address = context.response.get('location');
      if (this.hold && address?.startsWith(this.redirect)) {
        context.response.remove('location');
        context.status = 200;
        context.body = 'held';
        this.hold(address);
      }
    });
    return provider;
  }
}

/** The provider's own pages: who are you, and may that server know it. */
async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (request.method !== 'POST') {
    const form =
      prompt.name === 'login'
        ? page('Sign in at the provider', '<label>Login <input name="login"></label><button>Sign in</button>')
        : page('Allow Debrief', '<button name="answer" value="yes">Allow</button><button name="answer" value="no">Refuse</button>');
    response.writeHead(200, { 'content-type': 'text/html' }).end(form);
    return;
  }
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const sent = new URLSearchParams(body);
  let result: Record<string, unknown>;
  if (prompt.name === 'login') {
    result = { login: { accountId: sent.get('login') } };
  } else if (sent.get('answer') === 'yes') {
    const grant = new provider.Grant({ accountId: session?.accountId, clientId: params.client_id });
    grant.addOIDCScope(SCOPES);
    result = { consent: { grantId: await grant.save() } };
  } else {
    result = { error: 'access_denied' };
  }
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
}
