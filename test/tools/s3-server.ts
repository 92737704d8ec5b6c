// An S3 server in a separate process: Adobe's S3Mock, downloaded by Maven.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../support/free-port.ts'

export const bucket = 'tidemark'

export interface S3Server {
  readonly endpoint: string
  readonly stop: () => Promise<void>
}

/**
 * Starts the server with one request thread: with more it checks `If-None-Match` and writes in two steps, so two of eight writers of one name may succeed.
 * Throws an Error when the server does not respond within two minutes.
 */
export async function startS3Server(directory: string): Promise<S3Server> {
  const output = execFileSync(process.execPath, ['scripts/s3-server.mjs'], { encoding: 'utf8' })
  const classPath = output.trim().split('\n').at(-1)!
  const port = await freePort()
  const settings = [
    // The server has two ports. `server.port` is the one for HTTPS, and the only one that the number of threads applies to.
    `--com.adobe.testing.s3mock.httpPort=${await freePort()}`,
    `--server.port=${port}`,
    '--server.ssl.enabled=false',
    '--server.tomcat.threads.max=1',
    '--server.tomcat.threads.min-spare=1',
    `--com.adobe.testing.s3mock.store.root=${directory}`,
    `--com.adobe.testing.s3mock.store.initialBuckets=${bucket}`,
  ]
  const launcher = 'org.springframework.boot.loader.launch.JarLauncher'
  const child = spawn('java', ['-Xmx256m', '-XX:+UseSerialGC', '-cp', classPath, launcher, ...settings], {
    stdio: 'ignore',
  })
  const closed = once(child, 'close')
  const endpoint = `http://127.0.0.1:${port}`
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await closed
  }
  for (let tries = 0; tries < 480; tries++) {
    const isUp = await fetch(`${endpoint}/${bucket}`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp) return { endpoint, stop }
    if (child.exitCode !== null) throw new Error(`the server of S3 ended with ${child.exitCode}`)
    await sleep(250)
  }
  await stop()
  throw new Error('the server of S3 did not answer')
}
