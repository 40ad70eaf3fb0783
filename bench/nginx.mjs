// nginx in a folder of its own, on loopback.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Serves `root` on this port; answers its address and how to end it. */
export async function startNginx(folder, root, port) {
  for (const name of ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(join(folder, name), { recursive: true });
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const config = join(folder, 'nginx.conf');
  writeFileSync(
    config,
    `daemon off; ${user} worker_processes auto; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events { worker_connections 512; }
http {
  types { text/html html; application/json json; }
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; etag on;
  open_file_cache max=100; open_file_cache_valid 60s;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server { listen 127.0.0.1:${port}; root ${root}; add_header Cache-Control no-cache; }
}
`,
  );
  const child = spawn('nginx', ['-e', `${folder}/error.log`, '-c', config], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
  });
  const ended = new Promise((_, failed) => {
    child.once('error', error => failed(new Error(`nginx does not start (scripts/setup.sh bench installs it): ${error.message}`)));
    child.once('exit', code => failed(new Error(`nginx ended with ${code}; see ${folder}/error.log`)));
  });
  ended.catch(() => {});
  const base = `http://127.0.0.1:${port}`;
  const answers = async () => {
    for (let i = 0; i < 100; i++) {
      try {
        return await fetch(base);
      } catch {
        await new Promise(wait => setTimeout(wait, 50));
      }
    }
    throw new Error('nginx does not answer');
  };
  await Promise.race([answers(), ended]);
  return { base, stop: () => child.kill('SIGTERM') };
}
