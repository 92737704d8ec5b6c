// A real InfluxDB 1: the program `influxd` (Debian's package influxdb), or the one named by TIDEMARK_INFLUXD.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'

const program = process.env['TIDEMARK_INFLUXD'] ?? 'influxd'

export const hasInfluxd = spawnSync(program, ['version']).status === 0

export interface Influxd {
  readonly url: string
  stop(): Promise<void>
}

export async function startInfluxd(): Promise<Influxd> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-influxd-'))
  const [port, control] = [await freePort(), await freePort()]
  const config = join(folder, 'influxdb.conf')
  await writeFile(
    config,
    `reporting-disabled = true
bind-address = "127.0.0.1:${control}"
[meta]
  dir = "${folder}/meta"
[data]
  dir = "${folder}/data"
  wal-dir = "${folder}/wal"
  query-log-enabled = false
[http]
  bind-address = "127.0.0.1:${port}"
  log-enabled = false
[monitor]
  store-enabled = false
`,
  )
  const child = spawn(program, ['-config', config], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  await untilUp(url, child)
  return {
    url,
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill()
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function untilUp(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const isUp = await fetch(`${url}/ping`).then(
      ({ status }) => status === 204,
      () => false,
    )
    if (isUp) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`${program} ended with ${child.exitCode}`)
}
