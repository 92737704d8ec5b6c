// The image without Docker: everything that its build reads is copied, and its health check reports the state of the service.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeCertificate } from '../support/certificate.ts'
import { runService } from '../support/running-service.ts'

const dockerfile = readFileSync('deploy/Dockerfile', 'utf8')
const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = '']) => sources.split(' '))

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))

/** The files named by a script of package.json and by the scripts that it runs. */
function namedBy(script: string): readonly string[] {
  const named = script.split(' ').filter((word) => /\.(json|mjs|ts)$/.test(word))
  // A Node.js script names further files.
  const inside = named
    .filter((path) => path.endsWith('.mjs'))
    .flatMap((path) => readFileSync(path, 'utf8').match(/[\w/.-]+\.(json|mjs|ts)\b/g) ?? [])
  const files = [...named, ...inside.filter((path) => existsSync(path))]
  const others = [...script.matchAll(/npm run (?:--\S+ )*(\S+)/g)].map(([, name = '']) => name)
  return [...files, ...others.flatMap((name) => namedBy(scripts[name]))]
}

test('every copied path exists, and the build reads copied paths only', () => {
  expect(copied.filter((path) => !existsSync(path))).toEqual([])
  const read = ['src/main.ts', 'tsconfig.json', ...namedBy(scripts.build)]
  expect(read).toContain('portal/vite.config.ts')
  expect(read.filter((path) => !copied.some((from) => path === from || path.startsWith(`${from}/`)))).toEqual([])
})

/** The exit code of the image's health check. */
function health(environment: Readonly<Record<string, string>>): Promise<number> {
  const [, script = ''] = /^HEALTHCHECK .* CMD \["node", "([^"]+)"\]$/m.exec(dockerfile) ?? []
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [join('deploy', script)], { env: environment }, () => {
      resolve(child.exitCode ?? -1)
    })
  })
}

test.each([
  ['HTTP', false, ''],
  ['HTTPS', true, ''],
  ['HTTP under a path', false, '/series'],
])('the health check of the image reports a service on %s as live', async (_name, secure, basePath) => {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-image-'))
  const files = { certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  const { cert, key } = makeCertificate({ commonName: 'tidemark.example' })
  await writeFile(files.certificate, cert)
  await writeFile(files.key, key)
  const service = await runService({
    ...(secure ? { 'server.tlsCertFile': files.certificate, 'server.tlsKeyFile': files.key } : {}),
    ...(basePath === '' ? {} : { 'server.basePath': basePath }),
  })
  const environment = { TIDEMARK_PORT: new URL(service.url).port, TIDEMARK_SERVER_BASE_PATH: basePath }
  try {
    expect(await health(environment)).toBe(0)
  } finally {
    await service.close()
    await rm(folder, { recursive: true })
  }
  expect(await health(environment)).toBe(1)
})
