// The real program: its command line, and a server on a free port with a data folder of its own.
import type { BrowserContext } from '@playwright/test';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = resolve(__dirname, '../..');
const PROGRAM = resolve(ROOT, process.env['DEBRIEF_BIN'] ?? 'target/release/debrief');

/** A file of the worked example. */
export const example = (name: string): string => join(ROOT, 'tests/data', name);

/** What a correct reader finds in the example's events. */
export const truth = JSON.parse(readFileSync(example('checkout-events.truth.json'), 'utf8')) as {
  window_attempts: number;
  window_failed: number;
  failed_share_percent: number;
  affected_customers: number;
  recovered_inside_window: number;
  bought_within_24h: number;
  cohort: number;
};

export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'debrief-e2e-'));
export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });
export const copyFolder = (from: string, to: string): void => cpSync(from, to, { recursive: true });

/** Runs a command on a data folder and answers what it printed. */
export function debrief(data: string, ...args: string[]): string {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is not there; run 'make build' first`);
  return execFileSync(PROGRAM, args, {
    encoding: 'utf8',
    env: { ...process.env, DEBRIEF_DATA: data },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Brings the whole worked example into a data folder, as a person does it; answers the incident's id. */
export function importExample(data: string): string {
  const id = debrief(data, 'import', 'postmortem', example('checkout-postmortem.txt'), '--date', '2026-07-09').trim();
  debrief(data, 'import', 'events', id, example('checkout-events.csv'));
  debrief(data, 'import', 'flags', id, example('flag-changes.json'));
  return id;
}

export type Role = 'viewer' | 'member' | 'editor' | 'admin';

/** A server of its own. */
export class Server {
  private constructor(
    readonly data: string,
    readonly base: string,
    /** The link that the first start prints. */
    readonly firstLink: string,
    /** A token of a service that may do everything but attest. */
    readonly token: string,
    private readonly process: ChildProcess,
    /** What it has written to its log so far. */
    readonly log: () => string,
  ) {}

  /** Starts on a free port, unless `options` say which; `environment` is added to this process's own. */
  static async start(data: string, options: string[] = [], environment: NodeJS.ProcessEnv = {}): Promise<Server> {
    if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is not there; run 'make build' first`);
    const listen = options.includes('--listen') ? [] : ['--listen', '127.0.0.1:0'];
    const child = spawn(PROGRAM, ['serve', ...listen, '--data', data, ...options], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    });
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    let base = '';
    const link = await new Promise<string>((found, failed) => {
      createInterface({ input: child.stdout }).on('line', line => {
        base ||= /listening on (http:\S+)/.exec(line)?.[1] ?? '';
        const link = /sign in, once, with (http:\S+)/.exec(line)?.[1];
        if (link) found(link);
      });
      child.once('error', failed);
      child.once('exit', code => failed(new Error(`the server ended with ${code} before it listened:\n${log}`)));
    });
    const token = debrief(data, 'token', 'create', '--role', 'admin').trim();
    return new Server(data, base, link, token, child, () => log);
  }

  /** Adds somebody; answers the link that signs them in, once. */
  addPerson(name: string, role: Role, email?: string): string {
    const address = email === undefined ? [] : ['--email', email];
    return debrief(this.data, 'user', 'add', name, '--role', role, ...address, '--url', this.base).trim();
  }

  /** Adds somebody who signs in with a password. */
  async setPassword(name: string, email: string, password: string): Promise<void> {
    const secret = this.addPerson(name, 'member', email).split('#')[1];
    const headers = { 'content-type': 'application/json' };
    const session = `${this.base}/api/v1/session`;
    const signedIn = await fetch(session, { method: 'POST', headers, body: JSON.stringify({ link: secret }) });
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const body = JSON.stringify({ password });
    const set = await fetch(`${session}/password`, { method: 'PUT', headers: { ...headers, cookie }, body });
    if (set.status !== 204) throw new Error(`setting the password answered ${set.status}`);
  }

  /** Signs a browser in as somebody new. */
  async signIn(context: BrowserContext, name: string, role: Role): Promise<void> {
    const link = this.addPerson(name, role).split('#')[1];
    const response = await context.request.post(`${this.base}/api/v1/session`, { data: { link, instead: true } });
    if (response.status() !== 201) throw new Error(`signing in answered ${response.status()}`);
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = new Promise<void>(done => this.process.once('exit', () => done()));
    this.process.kill('SIGTERM');
    // An open connection may keep a graceful end waiting; the test has no use for it.
    const late = setTimeout(() => this.process.kill('SIGKILL'), 2_000);
    await ended;
    clearTimeout(late);
  }

  async json<T>(path: string): Promise<T> {
    const response = await fetch(this.base + path, { headers: { authorization: `Bearer ${this.token}` } });
    if (!response.ok) throw new Error(`GET ${path} answered ${response.status}`);
    return (await response.json()) as T;
  }

  /** Brings a file of this kind into the example's incident. */
  async bringIn(kind: 'events' | 'signals' | 'flags' | 'deploys', query: string, body: string): Promise<void> {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/octet-stream' };
    const response = await fetch(`${this.base}/api/v1/incidents/INC-1/imports/${kind}?${query}`, { method: 'POST', headers, body });
    if (response.status !== 201) throw new Error(`importing ${kind} answered ${response.status}: ${await response.text()}`);
  }
}
