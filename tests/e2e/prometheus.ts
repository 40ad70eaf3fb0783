// A real Prometheus on a free port, with data made for a test, that asks for a name and a password.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { newFolder, removeFolder } from './debrief';

const USER = 'debrief';
export const PASSWORD = 'four rainy mondays';
/** That password as Prometheus keeps it. */
const HASHED = '$2b$05$dHRoFIx.TaP81VaU7/977.8x0.LitvVxx93u1Th8f7wnxGGcbUMIO';

const freePort = (): Promise<number> =>
  new Promise((found, failed) => {
    const probe = createServer();
    probe.once('error', failed);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => (address && typeof address === 'object' ? found(address.port) : failed(new Error('no port'))));
    });
  });

export class Prometheus {
  private constructor(
    readonly address: string,
    private readonly folder: string,
    private readonly process: ChildProcess,
  ) {}

  /** Starts one that has these samples, in OpenMetrics. */
  static async start(samples: string): Promise<Prometheus> {
    const folder = newFolder();
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const data = join(folder, 'data');
    execFileSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', file('samples', samples), data], { stdio: 'pipe' });
    const port = await freePort();
    const child = spawn(
      'prometheus',
      [
        `--config.file=${file('prometheus.yml', '')}`,
        `--storage.tsdb.path=${data}`,
        '--storage.tsdb.retention.time=100y',
        `--web.listen-address=127.0.0.1:${port}`,
        `--web.config.file=${file('web.yml', `basic_auth_users:\n  ${USER}: ${HASHED}\n`)}`,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
    const address = `http://127.0.0.1:${port}`;
    const authorization = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;
    for (let tries = 0; tries < 300; tries++) {
      const ready = await fetch(`${address}/-/ready`, { headers: { authorization } }).catch(() => undefined);
      if (ready?.ok) return new Prometheus(address, folder, child);
      await new Promise(later => setTimeout(later, 100));
    }
    child.kill('SIGKILL');
    throw new Error(`Prometheus does not answer:\n${log}`);
  }

  /** The file that makes it known to Debrief as `main`, with its password. */
  known(data: string): string {
    const path = join(data, 'prometheus.toml');
    writeFileSync(path, `[main]\naddress = "${this.address}"\nuser = "${USER}"\npassword = "${PASSWORD}"\n`, { mode: 0o600 });
    return path;
  }

  async stop(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      const ended = new Promise<void>(done => this.process.once('exit', () => done()));
      this.process.kill('SIGKILL');
      await ended;
    }
    removeFolder(this.folder);
  }
}
